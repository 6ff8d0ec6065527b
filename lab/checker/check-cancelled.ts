import type { Findings } from './findings.ts'
import type { Model } from './model.ts'
import type { EventRecord } from './record.ts'

/** At the end, when everything has settled: a cancelled event has no hold any more, so its seats are free, sold or blocked. */
export function checkCancelled({ eventId }: EventRecord, model: Model, findings: Findings): void {
  if (!model.isCancelled) return
  for (const hold of model.holds.values()) {
    if (hold.status !== 'active') continue
    const rule = 'a cancelled event keeps no hold'
    findings.add({ invariant: 4, rule, event: eventId, evidence: [hold.madeBy] })
  }
}
