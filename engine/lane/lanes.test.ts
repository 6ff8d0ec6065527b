import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import { hotEvent } from '@voelgoed/testing/hot-event'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Bus } from '../ports/bus.ts'
import type { EventStore } from '../ports/store.ts'
import type { HotEvent } from '../view/hot-event.ts'
import { Lanes } from './lanes.ts'

const scope = TenantScope.of('o' as OrganizationId)
const eventId = 'e' as EventId

function openLanes(store: Partial<EventStore>, bus: Partial<Bus> = {}): Lanes {
  const deaf: Partial<Bus> = { isListening: true, onHeard() {}, onAsked() {}, onListening() {} }
  return new Lanes({
    store: store as EventStore,
    bus: { ...deaf, ...bus } as Bus,
    time: { ...processTime, every: () => () => {} },
    log: pino({ level: 'silent' }),
  })
}

it('a lane whose event is being loaded is not dropped: another one beside it might read what is older', async () => {
  const loads: ((loaded: HotEvent) => void)[] = []
  const lanes = openLanes({ load: () => new Promise(resolve => loads.push(resolve)) })
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

it('when it is closed, what was begun is waited for, and news begins nothing more', async () => {
  let hear: Parameters<Bus['onHeard']>[0] = () => {}
  const looks: (() => void)[] = []
  const lanes = openLanes(
    {
      load: async () => hotEvent(170),
      look: () => new Promise<void>(resolve => looks.push(resolve)),
    },
    {
      onHeard: heard => {
        hear = heard
      },
    },
  )
  await lanes.read(scope, eventId)
  await lanes.quiet()
  hear('o', 'e', 171)
  await waitUntil('the lane looks', () => looks.length === 1)
  lanes.close()
  let isQuiet = false
  const quiet = lanes.quiet().then(() => {
    isQuiet = true
  })
  hear('o', 'e', 172)
  await new Promise(setImmediate)
  expect(isQuiet).toBe(false)
  looks[0]!()
  await quiet
  expect(looks).toHaveLength(1)
})
