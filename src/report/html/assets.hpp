#pragma once

namespace gpulab::report::html {

// The parts of the page that are the same in every report; the build embeds them (cmake/embed_page.cmake). A
// hash is what a browser must find before it uses the text: "sha256-...".
struct PageAssets {
  const char* style;  // page.css
  const char* style_hash;
  const char* charts;  // Chart.js; empty where the build did not find it
  const char* charts_hash;
  const char* script;  // page.js
  const char* script_hash;
};

const PageAssets& page_assets();

}  // namespace gpulab::report::html
