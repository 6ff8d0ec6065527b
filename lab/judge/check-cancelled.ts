import type { Findings } from './findings.ts'
import type { Model } from './model.ts'
import type { EventRecord } from './record.ts'

/** When everything has settled, no hold of a cancelled event is left: its seats are free or sold. */
export function checkCancelled({ eventId }: EventRecord, model: Model, findings: Findings): void {
  if (!model.isCancelled) return
  for (const hold of model.holds.values()) {
    if (hold.status !== 'active') continue
    const rule = 'a cancelled event keeps no hold'
    findings.add({ invariant: 4, rule, event: eventId, evidence: [hold.madeBy] })
  }
}
