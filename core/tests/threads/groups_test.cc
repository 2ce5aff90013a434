// Threads that share what is done for one of them.
#include "pawl/driver/groups.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace pawl::driver {
namespace {

struct Member {
  int number = 0;
  int done_by = 0;  // the leader
};
using MemberGroups = Groups<Member>;

// The first group's turn lasts until it is told to end; what comes meanwhile waits.
class GroupsOf : public ::testing::Test {
 protected:
  // Returns when the member is in a group, and the first group's turn has begun.
  void begin(int number, std::size_t weight = 1) {
    threads_.push_back(std::async(std::launch::async, [this, number, weight] {
      Member own{number};
      groups_.join(own, weight, [&](MemberGroups::Turn& turn) { lead(turn, number); });
      return own.done_by;
    }));
    while (groups_.size() < threads_.size() || !has_begun_) std::this_thread::yield();
  }
  // Who worked for each.
  std::vector<int> finish() {
    first_ends_.set_value();
    std::vector<int> leaders;
    for (auto& thread : threads_) leaders.push_back(thread.get());
    return leaders;
  }

  std::vector<std::size_t> sizes_;  // of the groups, in the order of their turns

 private:
  void lead(MemberGroups::Turn& turn, int number) {
    const std::vector<Member*>& members = turn.members();
    has_begun_ = true;
    sizes_.push_back(members.size());
    EXPECT_EQ(members.front()->number, number);
    for (Member* member : members) member->done_by = number;
    turn.release_others();
    if (sizes_.size() == 1) first_ends_.get_future().wait();
  }

  std::atomic<bool> has_begun_ = false;
  std::promise<void> first_ends_;
  MemberGroups groups_{4};
  std::vector<std::future<int>> threads_;
};

TEST_F(GroupsOf, TheFirstOfThoseWhoWaitWorksForThemAll) {
  for (const int number : {1, 2, 3, 4}) begin(number);
  EXPECT_EQ(finish(), (std::vector<int>{1, 2, 2, 2}));
  EXPECT_EQ(sizes_, (std::vector<std::size_t>{1, 3}));
}

TEST_F(GroupsOf, AGroupIsJoinedUpToItsWeight) {
  begin(1);
  begin(2);
  begin(3, 3);
  begin(4);  // too much for that group
  begin(5, 9);
  begin(6);
  EXPECT_EQ(finish(), (std::vector<int>{1, 2, 2, 4, 5, 6}));
  EXPECT_EQ(sizes_, (std::vector<std::size_t>{1, 2, 1, 1, 1}));
}

TEST(Groups, NobodyIsLeftBehind) {
  MemberGroups groups(8);
  std::vector<std::thread> threads;
  std::vector<int> worked(4);  // one group at a time
  for (std::size_t thread = 0; thread < worked.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn < 2'000; ++turn) {
        Member own{static_cast<int>(thread)};
        groups.join(own, 1, [&](MemberGroups::Turn& lead) {
          for (Member* member : lead.members()) {
            ++worked[static_cast<std::size_t>(member->number)];
            member->done_by = 1;
          }
        });
        EXPECT_EQ(own.done_by, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(worked, std::vector<int>(4, 2'000));
  EXPECT_EQ(groups.size(), 0U);
}

}  // namespace
}  // namespace pawl::driver
