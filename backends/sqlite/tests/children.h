// Child processes of a test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

namespace pawl::sqlite {

// Runs `body` in a child process, which ends with what it returns (99: it threw).
inline pid_t in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  int result = 99;
  try {
    result = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  _exit(result);
}

inline int exit_code(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pawl::sqlite
