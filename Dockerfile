# gpulab in a container, for systems without Debian's or Ubuntu's packages:
#
#   docker build --tag gpulab .
#   docker run --rm --interactive --tty --volume "$PWD:/work" gpulab check
#
# It has the simulator. For a GPU, see docs/cluster.md.
FROM debian:12-slim AS build
COPY . /gpulab
RUN /gpulab/script/install /opt/gpulab

FROM debian:12-slim
# The simulator compiles kernels, and names the lines of faults.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ binutils \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/gpulab /opt/gpulab
ENV PATH=/opt/gpulab/bin:$PATH
WORKDIR /work
ENTRYPOINT ["gpulab"]
