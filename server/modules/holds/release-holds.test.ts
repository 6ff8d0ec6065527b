import type { EventId, HoldId, OrganizationId } from '@voelgoed/core/ids'
import { type Result, refuse } from '@voelgoed/core/result'
import type { Lane } from '@voelgoed/engine/lane/lane'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { releaseHolds } from './release-holds.ts'

it('an event whose outcome is unknown speaks for all that failed: its holds may be released', async () => {
  const kinds = ['busy', 'outcome_unknown', 'database_unavailable'] as const
  const failures = kinds.map(kind => refuse({ kind, retryAfterSeconds: 1 }))
  const lane = { exclusive: async (): Promise<Result<never, unknown>> => failures.shift()! }
  const answer = await releaseHolds(
    TenantScope.of('org' as OrganizationId),
    { lanes: { lane: () => lane as unknown as Lane }, log: pino({ level: 'silent' }) },
    {
      releaser: {
        actor: { person: null, ip: null, source: 'admin' },
        by: { actor: 'system', userId: null, ip: null, userAgent: null, requestId: null },
      },
      holds: new Map(kinds.map(kind => [`event-${kind}` as EventId, [`hold-${kind}` as HoldId]])),
    },
  )
  expect(answer.failure).toMatchObject({ kind: 'outcome_unknown' })
  expect(answer.skipped.map(({ code }) => code)).toEqual(kinds)
})
