// pawl/driver/groups.h: threads that want the same thing done, one after the other, and that share
// it while they wait. For authors of backends whose writers share a commit.
//
// Whoever finds nobody else works at once, by itself. Otherwise it joins the last group, or begins
// one and leads it: when the group before is done, the leader works for all who have joined by
// then, wakes them by one call to the system, and hands over to the next group.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pawl/driver/flag.h"

namespace pawl::driver {

template <class Member>
class Groups {
  struct Group;

 public:
  // The leader's, while it is its group's turn.
  class Turn {
   public:
    // Those to work for, the leader first. Nobody joins from here on.
    const std::vector<Member*>& members() {
      const std::lock_guard lock(groups_.mutex_);
      group_.is_closed = true;
      return group_.members;
    }
    // Lets the others go before the turn ends; their members are gone then.
    void release_others() { group_.is_done.raise(); }

   private:
    friend class Groups;
    Turn(Groups& groups, Group& group) : groups_(groups), group_(group) {}

    Groups& groups_;
    Group& group_;
  };

  // A group is joined as long as it weighs no more than `most` then. A heavier member goes alone.
  explicit Groups(std::size_t most) : most_(most) {}

  // Joins, and returns when the group's turn has ended. The leader, whose thread calls lead(turn),
  // leaves in its members what becomes of them. `lead` throws nothing.
  template <class Lead>
  void join(Member& member, std::size_t weight, const Lead& lead) {
    const auto [group, leads] = enter(member, weight);
    if (!leads) {
      group->is_done.wait();
      return;
    }
    group->is_next.wait();
    Turn turn(*this, *group);
    lead(turn);
    hand_over(*group);
  }

  // How many have not been worked for yet, or are worked for.
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    std::size_t size = 0;
    for (const auto& group : groups_) size += group->members.size();
    return size;
  }

 private:
  struct Group {
    std::vector<Member*> members;  // the first one leads
    std::size_t weight = 0;
    bool is_closed = false;  // nobody joins any more
    Flag is_next;
    Flag is_done;
  };
  struct Entered {
    std::shared_ptr<Group> group;
    bool leads = false;
  };

  Entered enter(Member& member, std::size_t weight) {
    const std::lock_guard lock(mutex_);
    const bool leads =
        groups_.empty() || groups_.back()->is_closed || groups_.back()->weight + weight > most_;
    if (leads) {
      auto fresh = std::make_shared<Group>();
      fresh->members.push_back(&member);
      if (groups_.empty()) fresh->is_next.raise();
      groups_.push_back(std::move(fresh));
    } else {
      groups_.back()->members.push_back(&member);
    }
    groups_.back()->weight += weight;
    return {groups_.back(), leads};
  }

  void hand_over(Group& group) {
    std::shared_ptr<Group> next;
    {
      const std::lock_guard lock(mutex_);
      group.is_closed = true;
      groups_.pop_front();
      if (!groups_.empty()) next = groups_.front();
    }
    if (next) next->is_next.raise();
    group.is_done.raise();
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Group>> groups_;  // it is the first one's turn
};

}  // namespace pawl::driver
