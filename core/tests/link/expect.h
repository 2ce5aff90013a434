// Checks for the small programs of this folder, which do without a test framework so that
// nothing but Pawl is linked.
#pragma once

#include <pawl/error.h>
#include <pawl/open.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

inline void expect(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n';
  std::exit(1);
}

inline void expect_schemes(const std::vector<std::string>& schemes) {
  expect(pawl::linked_schemes() == schemes, "the linked schemes, sorted");
}

// Opening `uri` throws `code`, and the message names every scheme that is linked.
inline void expect_refused(std::string_view uri, pawl::ErrorCode code,
                           const std::vector<std::string>& schemes) {
  try {
    pawl::open(uri);
  } catch (const pawl::Error& error) {
    expect(error.code() == code, "the code is " + std::string(pawl::to_string(code)));
    for (const std::string& scheme : schemes) {
      expect(std::string_view(error.what()).find(scheme) != std::string_view::npos,
             "the message names the scheme " + scheme + ": " + error.what());
    }
    return;
  }
  expect(false, "opening " + std::string(uri) + " is refused");
}

inline void append_one(pawl::Store& store, const std::string& session) {
  store.append(session, {{.type = "linked", .payload = "1"}});
}
