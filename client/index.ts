export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts'
export type { Answer, Body, Data, Input, RouteName } from './contract.ts'
export type {
  FeedState,
  Follow,
  Following,
  Occupancy,
  SaleStatus,
  SeatChanges,
  SeatStatus,
  Snapshot,
} from './follow.ts'
export { type Problem, type ProblemMembers, type RefusalCode, Refused, Unreachable } from './refused.ts'
export { ServerClock } from './server-clock.ts'
