import { WORKLOADS } from '../crowd/workloads.ts'
import type { Scenario, ScenarioName } from './mutant.ts'

const quick = { faults: [], seconds: 4, clients: 24, thinkMs: 60, tidyWithinMs: 60_000 } as const

const withRedis = { ...quick, workloads: [WORKLOADS.groups], withRedis: true } as const

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  race: { ...quick, workloads: [WORKLOADS.stampede, WORKLOADS.ga], faults: ['jitter'] },
  places: { ...quick, workloads: [WORKLOADS.ga] },
  groups: { ...quick, workloads: [WORKLOADS.groups] },
  mixed: { ...quick, workloads: [WORKLOADS.mixed] },
  sale: { ...quick, workloads: [{ ...WORKLOADS.flash, seats: 12, places: 0, wish: { seat: 4, seats: 1 } }] },
  churn: { ...quick, workloads: [WORKLOADS.churn], tidyWithinMs: 4_000 },
  // A buyer who takes much and releases nothing soon has more than the limit allows, if no code checks it.
  hoarding: { ...quick, workloads: [{ ...WORKLOADS.churn, seats: 200, ttlSeconds: 10, next: { leave: 1 } }] },
  'fewer places': { ...quick, workloads: [{ ...WORKLOADS.ga, next: { fewer: 3, release: 1 } }] },
  // A tenth as many accounts as buyers: each of them is soon given as much as it may have.
  'signing in': {
    ...quick,
    workloads: [{ ...WORKLOADS.mixed, ttlSeconds: 20, wish: { seat: 1, places: 1 }, next: { 'sign in': 1 } }],
  },
  cancelling: { ...quick, seconds: 6, workloads: [{ ...WORKLOADS.cancelled, eventSeconds: 3 }] },
  'churn without reapers': { ...quick, workloads: [WORKLOADS.churn], tidyWithinMs: null },
  // Reapers whose commits are lost try again, after at most fifteen seconds.
  'churn and lost commits': {
    ...quick,
    workloads: [WORKLOADS.churn],
    faults: ['cut-before-commit'],
    tidyWithinMs: 25_000,
  },
  'late commits': { ...quick, workloads: [WORKLOADS.stampede, WORKLOADS.ga], faults: ['cut-after-commit'] },
  'lost commits': { ...quick, workloads: [WORKLOADS.stampede, WORKLOADS.ga], faults: ['cut-before-commit'] },
  // A seat for each buyer, and each buyer asks again for what they hold:
  // batches that store answers and nothing else.
  'lost answers': {
    ...quick,
    clients: 12,
    workloads: [{ ...WORKLOADS.stampede, seats: 40, ttlSeconds: 60, next: { insist: 1 } }],
    faults: ['cut-before-commit'],
  },
  // One node is busy, the other one far away:
  // what the busy one announces must not keep the other from its buyers.
  'slow line': {
    ...quick,
    workloads: [{ ...WORKLOADS.groups, seats: 200, staysWithNode: true }],
    clients: 60,
    thinkMs: 5,
    faults: ['slow-line'],
  },
  failover: { ...quick, seconds: 6, workloads: [WORKLOADS.groups], faults: ['failover'] },
  clock: { ...quick, workloads: [WORKLOADS.churn], faults: ['clock'] },
  'redis jitter': { ...withRedis, faults: ['redis-jitter'] },
  'redis away': { ...withRedis, faults: ['redis-kill', 'redis-pause'] },
  'redis restored': { ...withRedis, faults: ['redis-restore'] },
  // Buyers who think little: more is lost than there is time for afterwards.
  'redis and failover': { ...withRedis, faults: ['failover'], seconds: 2, thinkMs: 20 },
  'redis without reapers': { ...withRedis, workloads: [WORKLOADS.churn], tidyWithinMs: null },
  'redis and cancelling': { ...withRedis, workloads: [{ ...WORKLOADS.cancelled, eventSeconds: 3 }] },
  // Few buyers and events, so that they want the same seats.
  books: {
    ...{ ...quick, seconds: 0, workloads: [], clients: 0 },
    checkouts: { count: 160, buyers: 24, events: 3, settledWithinMs: 45_000 },
  },
}
