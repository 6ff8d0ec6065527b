import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { hotEvent } from '../../test/kit/hot-event.ts'
import { TenantScope } from '../tenant.ts'
import { processTime } from '../time.ts'
import type { Bus } from './bus.ts'
import type { HotEvent } from './hot-event.ts'
import { Lanes } from './lanes.ts'
import type { EventStore } from './store.ts'

const scope = TenantScope.of('o' as OrganizationId)
const eventId = 'e' as EventId

it('a lane whose event is being loaded is not dropped: another one beside it might read what is older', async () => {
  const loads: ((loaded: HotEvent) => void)[] = []
  const store = { load: () => new Promise(resolve => loads.push(resolve)) } as Partial<EventStore>
  const bus = { isListening: true, onHeard() {}, onAsked() {}, onListening() {} } as Partial<Bus>
  const lanes = new Lanes({
    store: store as EventStore,
    bus: bus as Bus,
    time: { ...processTime, every: () => () => {} },
    log: pino({ level: 'silent' }),
    followers: [],
    onBatch() {},
    onCommitted() {},
    onExpiry() {},
  })
  const first = lanes.read(scope, eventId)
  lanes.tidy(-1)
  const second = lanes.read(scope, eventId)
  expect(loads).toHaveLength(1)
  loads[0]!(hotEvent(170))
  expect((await first)?.view).toBe((await second)?.view)
  expect(lanes.inMemory(scope, eventId)?.seq).toBe(170)
  // Then it is what memory has to give.
  lanes.tidy(-1)
  expect(lanes.inMemory(scope, eventId)).toBeNull()
  lanes.close()
})
