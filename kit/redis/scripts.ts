import beginEvent from './scripts/begin-event.lua?raw'
import countLimits from './scripts/count-limits.lua?raw'
import forgetHolds from './scripts/forget-holds.lua?raw'
import lookAtEvent from './scripts/look-at-event.lua?raw'
import forgetHold from './scripts/parts/forget-hold.lua?raw'
import putEvent from './scripts/put-event.lua?raw'
import readEvent from './scripts/read-event.lua?raw'
import readSeat from './scripts/read-seat.lua?raw'
import removeEvent from './scripts/remove-event.lua?raw'

/** Each is a file of its own, with a header that says what it takes and returns; two share a function. */
const SOURCES = {
  'look-at-event': lookAtEvent,
  'put-event': forgetHold + putEvent,
  'begin-event': beginEvent,
  'forget-holds': forgetHold + forgetHolds,
  'remove-event': removeEvent,
  'read-event': readEvent,
  'read-seat': readSeat,
  'count-limits': countLimits,
} as const

export type ScriptName = keyof typeof SOURCES

/** As ioredis takes them: it sends a script's hash, and the script itself only when the server lacks it. */
export const SCRIPTS: Readonly<Record<string, { readonly lua: string }>> = Object.fromEntries(
  Object.entries(SOURCES).map(([name, lua]) => [name, { lua }]),
)
