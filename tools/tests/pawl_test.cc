// The program `pawl` from outside: what it prints, where, and how it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Ended {
  int code = -1;
  std::string out;
  std::string err;
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder of this test's own.
class Pawl : public ::testing::Test {
 protected:
  Pawl() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~Pawl() override { std::filesystem::remove_all(folder_); }

  // Runs the program with these arguments, `input` on its standard input.
  Ended run(const std::vector<std::string>& arguments, const std::string& input = "",
            const char* out_path = nullptr) {
    const std::string in = folder_ / "in";
    const std::string out = out_path != nullptr ? out_path : folder_ / "out";
    const std::string err = folder_ / "err";
    std::ofstream(in, std::ios::binary) << input;
    std::vector<char*> argv;
    std::string program = PAWL_BIN_DIR "/pawl";
    argv.push_back(program.data());
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      redirect(in, O_RDONLY, 0);
      redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
      redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
      execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_path != nullptr ? "" : content(out),
            content(err)};
  }

  std::filesystem::path folder_;

 private:
  static void redirect(const std::string& path, int flags, int to) {
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(126);
  }
};

void expect_one_line(const std::string& err, const std::string& beginning) {
  EXPECT_TRUE(err.starts_with(beginning)) << err;
  EXPECT_EQ(err.find('\n'), err.size() - 1) << err;
}

TEST_F(Pawl, ExecAnswersEachLineWithALine) {
  const Ended ended =
      run({"exec", "memory:", "--clock", "manual", "--ids", "sequential"},
          R"({"op":"append","session":"s","events":[{"type":"t","payload":{ "n":1.0}}]}
not an operation

{"op":"clock","now":7}
{"op":"append","session":"s","events":[{"type":"t","payload":[]}]}
{"op":"head","session":"s"})");
  EXPECT_EQ(
      ended.out,
      R"({"ok":{"events":[{"session":"s","index":1,"id":"id-1","type":"t","payload":{ "n":1.0},"created_at":1}],"has_pending":false}}
{"error":{"code":"invalid_argument","message":"the line is not JSON"}}
{"error":{"code":"invalid_argument","message":"the line is not JSON"}}
{"ok":{}}
{"ok":{"events":[{"session":"s","index":2,"id":"id-2","type":"t","payload":[],"created_at":7}],"has_pending":false}}
{"ok":{"last_index":2,"clear_index":0}}
)");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.code, 0);
}

TEST_F(Pawl, ExecWithoutInputSaysNothing) {
  const Ended ended = run({"exec", "memory:"});
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.code, 0);
}

TEST_F(Pawl, ExecTakesTheMachinesClockUnlessToldOtherwise) {
  const Ended ended = run({"exec", "memory:"}, R"({"op":"clock","now":7}
{"op":"append","session":"s","events":[{"type":"t","payload":1}]}
)");
  std::istringstream lines(ended.out);
  std::string refused;
  std::string appended;
  std::getline(lines, refused);
  std::getline(lines, appended);
  EXPECT_EQ(nlohmann::json::parse(refused)["error"]["code"], "invalid_argument");
  const nlohmann::json event = nlohmann::json::parse(appended)["ok"]["events"][0];
  EXPECT_GT(event["created_at"], 1'500'000'000'000);
  EXPECT_EQ(event["id"].get<std::string>().size(), 36U);
}

// An interactive user, or a program at the other end of a pipe, waits for each answer.
TEST_F(Pawl, ExecAnswersBeforeItReadsOn) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  ASSERT_EQ(pipe2(in.data(), O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(PAWL_BIN_DIR "/pawl", "pawl", "exec", "memory:", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  const std::string line = "{\"op\":\"sessions\"}\n";
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(write(in[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    std::string answer;
    char byte = 0;
    while (read(out[0], &byte, 1) == 1 && byte != '\n') answer += byte;
    ASSERT_EQ(answer, R"({"ok":[]})");
  }
  close(in[1]);
  int status = 0;
  waitpid(child, &status, 0);
  close(out[0]);
  EXPECT_EQ(status, 0);
}

TEST_F(Pawl, OptionsReachTheStore) {
  const std::string line =
      R"({"op":"append","session":"s","events":[{"type":"t","payload":"1234567890"}]})"
      "\n";
  EXPECT_EQ(run({"exec", "memory:", "--option", "max_payload_bytes=8"}, line)
                .out.find(R"({"error":{"code":"invalid_argument")"),
            0U);
  EXPECT_EQ(
      run({"exec", "--option", "max_payload_bytes=99", "--option=durability=relaxed", "memory:"},
          line)
          .out.find(R"({"ok":)"),
      0U);
}

TEST_F(Pawl, ALineOfNoEndIsRefusedAndTheNextIsRead) {
  const Ended ended = run({"exec", "memory:", "--option", "max_call_bytes=16"},
                          std::string(2'000'000, 'x') + "\n{\"op\":\"sessions\"}\n");
  EXPECT_EQ(
      ended.out,
      R"({"error":{"code":"invalid_argument","message":"the line is longer than 1048592 bytes"}})"
      "\n{\"ok\":[]}\n");
}

TEST_F(Pawl, WrongUseEndsWithTwoAndALine) {
  const std::vector<std::vector<std::string>> calls{
      {},
      {"frob"},
      {"exec"},
      {"exec", "memory:", "again"},
      {"exec", "memory:", "--clock", "fast"},
      {"exec", "memory:", "--ids", "random"},
      {"exec", "memory:", "--frob"},
      {"exec", "memory:", "--option"},
      {"exec", "memory:", "--option", "durability"},
      {"exec", "memory:", "--option", "=full"},
      {"exec", "memory:", "--option", "durability=some"},
      {"exec", "memory:", "--option", "max_payload_bytes=-1"},
      {"exec", "memory:", "--option", "page_size=1"},
      {"exec", ""},
      {"stats"},
      {"stats", "memory:", "--clock", "manual"},
      {"stats", "memory:", "--option", "page_size=1"},
  };
  for (const auto& call : calls) {
    const Ended ended = run(call, "{\"op\":\"sessions\"}\n");
    EXPECT_EQ(ended.code, 2) << ::testing::PrintToString(call);
    EXPECT_EQ(ended.out, "");
    expect_one_line(ended.err, "pawl: ");
  }
}

TEST_F(Pawl, AStoreThatCannotBeOpenedEndsWithOneAndALine) {
  for (const char* uri : {"nosuchengine:place", "sqlite:/nosuch\nfolder/file"}) {
    const Ended ended = run({"exec", uri}, "{\"op\":\"sessions\"}\n");
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    expect_one_line(ended.err, "pawl: ");
  }
}

TEST_F(Pawl, AnAnswerThatCannotBeWrittenEndsWithOne) {
  const Ended ended = run({"exec", "memory:"}, "{\"op\":\"sessions\"}\n", "/dev/full");
  EXPECT_EQ(ended.code, 1);
  expect_one_line(ended.err, "pawl: standard output");
}

TEST_F(Pawl, VersionNamesTheEngines) {
  const Ended ended = run({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.out.starts_with("pawl ")) << ended.out;
  EXPECT_NE(ended.out.find("\nmemory: "), std::string::npos) << ended.out;
  EXPECT_EQ(ended.err, "");
}

TEST_F(Pawl, StatsAreLinesOfNumbers) {
  const std::string uri = "sqlite:" + (folder_ / "store.db").string();
  ASSERT_EQ(run({"exec", uri},
                "{\"op\":\"append\",\"session\":\"s\",\"events\":"
                "[{\"type\":\"t\",\"payload\":1}]}\n")
                .code,
            0);
  const Ended ended = run({"stats", uri});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(("\n" + ended.out).find("\ncommits 1\n"), std::string::npos) << ended.out;
  EXPECT_NE(("\n" + ended.out).find("\nlog_pages 0\n"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("warning"), std::string::npos) << ended.out;
  EXPECT_EQ(run({"stats", "memory:"}).out, "");
}

TEST_F(Pawl, HelpIsNoFailure) {
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"--help"}, std::vector<std::string>{"exec", "--help"}}) {
    const Ended ended = run(call);
    EXPECT_EQ(ended.code, 0);
    EXPECT_NE(ended.out.find("exec"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.err, "");
  }
}

}  // namespace
