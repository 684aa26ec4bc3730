#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "learn/checks.hpp"

namespace gpulab::learn {
namespace {

// The same order of members for writing and for reading.
template <class Archive, class Settings>
void each_setting(Archive& archive, Settings& tried_with) {
  archive(tried_with.size);
  archive(tried_with.seed);
  archive(tried_with.options);
}

template <class Archive, class Value>
void each_input_member(Archive& archive, Value& input) {
  archive(input.array);
  archive(input.index);
  archive(input.value);
}

template <class Archive, class Element>
void each_difference_member(Archive& archive, Element& difference) {
  archive(difference.index);
  archive(difference.expected);
  archive(difference.actual);
  archive(difference.inputs);
  archive(difference.is_poison);
}

template <class Archive, class Result>
void each_member(Archive& archive, Result& result) {
  archive(result.exercise);
  archive(result.file);
  archive(result.verdict);
  archive(result.pattern);
  archive(result.hint);
  archive(result.summary);
  archive(result.details);
  archive(result.first_differences);
  archive(result.size);
  archive(result.block_size);
  archive(result.schedule);
  archive(result.line);
  archive(result.source);
  archive(result.compiler_log);
  archive(result.tried_with);
  archive(result.notes);
}

// Of a variant's timing only the median and its interval are told.
struct PackedVariant {
  std::string name, explanation;
  Outcome observed = Outcome::right;
  double median_s = 0;  // 0 where no time was taken
  Interval confidence_s;
};

template <class Archive, class Variant>
void each_variant_member(Archive& archive, Variant& variant) {
  archive(variant.name);
  archive(variant.explanation);
  archive(variant.observed);
  archive(variant.median_s);
  archive(variant.confidence_s);
}

class Packer {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  void operator()(const InputValue& input) { each_input_member(*this, input); }
  void operator()(const Difference& difference) { each_difference_member(*this, difference); }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    for (const T& item : list) (*this)(item);
  }
  void operator()(const std::map<std::string, std::string>& words) {
    (*this)(words.size());
    for (const auto& [name, word] : words) {
      (*this)(name);
      (*this)(word);
    }
  }
  void operator()(const std::optional<TriedWith>& tried_with) {
    (*this)(tried_with.has_value());
    if (tried_with) each_setting(*this, *tried_with);
  }

  std::string bytes;
};

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
  }
  void operator()(std::string& text) {
    const std::size_t size = count();
    text.assign(take(size), size);
  }
  void operator()(InputValue& input) { each_input_member(*this, input); }
  void operator()(Difference& difference) { each_difference_member(*this, difference); }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(count());
    for (T& item : list) (*this)(item);
  }
  void operator()(std::map<std::string, std::string>& words) {
    for (std::size_t left = count(); left > 0; --left) {
      std::string name;
      (*this)(name);
      (*this)(words[name]);
    }
  }
  void operator()(std::optional<TriedWith>& tried_with) {
    bool is_there = false;
    (*this)(is_there);
    if (is_there) each_setting(*this, tried_with.emplace());
  }

 private:
  // No more items than there are bytes.
  std::size_t count() {
    std::size_t count = 0;
    (*this)(count);
    if (count > bytes_.size() - at_) throw std::runtime_error("the result of a check was cut short");
    return count;
  }
  const char* take(std::size_t size) {
    if (size > bytes_.size() - at_) throw std::runtime_error("the result of a check was cut short");
    at_ += size;
    return bytes_.data() + at_ - size;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string packed(const CheckResult& result) {
  Packer packer;
  each_member(packer, result);
  return packer.bytes;
}

std::string packed(const std::vector<VariantResult>& variants) {
  Packer packer;
  packer(variants.size());
  for (const VariantResult& result : variants) {
    PackedVariant variant{result.name, result.explanation, result.observed, 0, {}};
    if (result.kernel_cold) {
      variant.median_s = result.kernel_cold->median_s;
      variant.confidence_s = result.kernel_cold->confidence_s.value_or(Interval{});
    }
    each_variant_member(packer, variant);
  }
  return packer.bytes;
}

std::vector<VariantResult> unpacked_variants(const std::string& bytes) {
  Unpacker unpacker(bytes);
  std::size_t count = 0;
  unpacker(count);
  std::vector<VariantResult> variants;
  for (std::size_t i = 0; i < count; ++i) {
    PackedVariant variant;
    each_variant_member(unpacker, variant);
    VariantResult result{.name = variant.name, .observed = variant.observed};
    result.explanation = variant.explanation;
    if (variant.median_s > 0)
      result.kernel_cold = Timing{.samples_s = {variant.median_s},
                                  .median_s = variant.median_s,
                                  .confidence_s = variant.confidence_s};
    variants.push_back(std::move(result));
  }
  return variants;
}

CheckResult unpacked(const std::string& bytes) {
  CheckResult result;
  Unpacker unpacker(bytes);
  each_member(unpacker, result);
  return result;
}

}  // namespace gpulab::learn
