// The `pawl` command line. It ends with 0, with 2 when it is called wrongly, and with 1 when it
// fails, then saying why in one line on standard error.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "build_info.h"
#include "exec.h"
#include "pawl/error.h"
#include "pawl/open.h"
#include "pawl/registry.h"

namespace {

// This program, and each scheme that it serves with the engine behind it.
std::string version() {
  std::string text = "pawl " + std::string(pawl::build_info::version()) + " (" +
                     std::string(pawl::build_info::commit()) + ")";
  for (const std::string& scheme : pawl::linked_schemes()) {
    text += "\n" + scheme + ":";
    const pawl::BackendRegistration* backend = pawl::find_backend(scheme);
    if (backend->engine != nullptr) text += " " + backend->engine();
  }
  return text;
}

int complain(int code, std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return c < ' '; }, ' ');
  std::cerr << "pawl: " << message << std::endl;
  return code;
}

// A command that opens the store of a URI.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      pawl::tools::ExecArguments& arguments) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("URI", arguments.uri, "The store: sqlite:PATH, memory:, ...")->required();
  command
      ->add_option("--option", arguments.options, "NAME=VALUE, an option of the store; repeatable")
      ->type_size(1)
      ->allow_extra_args(false);
  return command;
}

int run(int argc, char** argv) {
  CLI::App app("Durable event logs, on the storage engine that a URI names.", "pawl");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);

  pawl::tools::ExecArguments arguments;
  std::string clock;
  std::string ids;
  CLI::App* exec = add_command(
      app, "exec", "Carries out one operation per line of standard input (core/CONTRACT.md, 12)",
      arguments);
  exec->add_option("--clock", clock, "manual: starts at 1, and the operation `clock` sets it")
      ->check(CLI::IsMember({"manual"}));
  exec->add_option("--ids", ids, "sequential: id-1, id-2, ...")
      ->check(CLI::IsMember({"sequential"}));
  const CLI::App* stats =
      add_command(app, "stats", "Tells how the store is doing, in numbers and warnings", arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(2, error.what());
  }

  arguments.manual_clock = !clock.empty();
  arguments.sequential_ids = !ids.empty();
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  try {
    if (stats->parsed()) {
      pawl::tools::stats(arguments.uri, arguments.options, std::cout);
    } else {
      pawl::tools::exec(arguments, std::cin, std::cout);
    }
  } catch (const pawl::tools::UsageError& error) {
    return complain(2, error.message);
  } catch (const pawl::Error& error) {
    return complain(error.code() == pawl::ErrorCode::kInvalidArgument ? 2 : 1, error.what());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return complain(1, error.what());
  }
}
