#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/sandbox.hpp"

namespace gpulab::simulator::remote {

// Where the process of a device finds its end of the connection.
constexpr int servers_socket = 3;

// The words of a command line that make this program the process of a device.
std::vector<std::string> words_for_server(sandbox::Mode mode, double kernel_time_limit_s);

// Confines this process, and answers until nobody asks any more, if the words are those above; what to end
// with. To be called first in main.
std::optional<int> serve_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::simulator::remote
