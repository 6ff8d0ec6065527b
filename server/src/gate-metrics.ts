import type { MetricMakers } from './metric-makers.ts'
import type { RedisGate } from './warm/gate.ts'

/** The metrics of a node with the gate (VOELGOED_GATE). */
export function createGateMetrics(
  { total, totals, histogram }: MetricMakers,
  { counts }: Pick<RedisGate, 'counts'>,
): { looked(ms: number): void } {
  totals(
    'voelgoed_gate_refusals_total',
    'Requests that the gate refused before the lock, by reason: writing (another node writes the seat), held',
    'reason',
    () => ({ writing: counts.writing, held: counts.held }),
  )
  total(
    'voelgoed_gate_looked_back_total',
    'Refusals by the gate that were held against memory a second later',
    () => counts.lookedBack,
  )
  total('voelgoed_gate_premature_total', 'Of those, refusals of seats that were free', () => counts.premature)
  total(
    'voelgoed_gate_passed_open_total',
    'Batches that passed the gate unseen, because Redis did not answer or not as it should',
    () => counts.passedOpen,
  )
  const seconds = histogram('voelgoed_gate_seconds', 'Time that a batch spent at the gate', [])
  return { looked: ms => seconds.observe(ms / 1000) }
}
