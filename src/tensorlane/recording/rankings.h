// How well the model ranks variants of a kernel, and how well measuring them again would.
//
// A tuner needs the order of variants more than their times. The order of what was measured is
// uncertain itself: the same kernel, measured in another session, takes another time. Where rows of
// several sessions have the same commands, that says how far a perfect model can agree.
#ifndef TENSORLANE_RECORDING_RANKINGS_H_
#define TENSORLANE_RECORDING_RANKINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/recording/board_rows.h"

namespace tensorlane {

// Spearman's rank correlation, equal values sharing their mean rank; 0 where one list has no order.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

struct Ranking {
  std::string op, shape, session;  // no session: over all of them
  int variants = 0;
  // Of modelled and measured times. Over all sessions what a launch costs more in one of them is
  // taken out before: what commands of the operator that another has, too, take longer there.
  double correlation = 0;
  // Of the times that two sessions measured of the same commands, on average over the pairs of
  // sessions that have two of them at least.
  std::optional<double> sessions = {};
  // What these times and the same measured again would have, on average, by the scatter of rows of
  // the operator that several sessions have; of a time as a share, the launch of a session taken
  // out.
  std::optional<double> repeat = {};
  double scatter = 0;
};
// Of each operator and shape in a session, for those with `least` rows at least and other commands
// in some; of a kernel of which no session has as many, over all sessions.
std::vector<Ranking> rankings(const BoardRows& rows, const TimingParameters& issued, int least = 5);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_RANKINGS_H_
