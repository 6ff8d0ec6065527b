import type { Check } from '../../check.ts'
import { entryChecks } from '../../entry/checks.ts'
import { orderChecks } from '../../orders/checks.ts'
import { recordChecks } from './record-checks.ts'
import { seatChecks } from './seat-checks.ts'

/** All checks that are queries, in the order of the invariants. */
export const CHECKS: readonly Check[] = [...seatChecks, ...recordChecks, ...orderChecks, ...entryChecks].sort(
  (a, b) => a.invariant - b.invariant,
)
