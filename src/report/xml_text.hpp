#pragma once

#include <string>

namespace gpulab::report {

// A text for an attribute or an element of XML 1.0. What XML cannot hold, which is control characters and
// bytes that are not UTF-8, becomes U+FFFD.
std::string xml_text(const std::string& text);

}  // namespace gpulab::report
