import type { CommandId, UserId } from '../ids.ts'
import { assert, assertNever } from '../result.ts'
import type { Change } from './change.ts'
import type { Command, Source } from './command.ts'

/**
 * The changes of a batch as one text, for one row of the journal. It is JSON, so that people and other
 * programs can read it. Version 1 is positional:
 *
 *   [commands, changes, user agents]
 *   a command   [command id, user id of the actor, source, address, index of its user agent, at]
 *               Ends after the source when it is not known where it came from. `at`, in milliseconds, only
 *               where it is not that of the row.
 *   a change    [index of its kind, index of its command, … its members, in the order of FIELDS]
 *               Changes are numbered from the first seq of the row on.
 *
 * A change of a hold has `previous` before its members: the seq of that hold's entry before, 0 for the first.
 * So the history of a hold is a chain through the journal. Times of a hold are milliseconds after `at`; a
 * user id of 0 is the actor's, an ip of 0 the command's address. Members that may be left out come last.
 *
 * The view journal_entries of the database reads it as well.
 */
export class ChangePacker {
  #first: { readonly change: Change; readonly command: Command } | null = null
  #count = 0
  #changes = ''
  #commands = ''
  #commandIndex = -1
  #command: Command | null = null
  #at = 0
  #byStaff = false
  readonly #agents = new Map<string, number>()

  /** `previous`: the seq of the hold's last change before this one; 0 when there is none. */
  add(change: Change, command: Command, previous: number): void {
    this.#first ??= { change, command }
    assert(change.seq === this.#first.change.seq + this.#count, 'a change left out of the journal')
    if (command !== this.#command || change.at !== this.#at) this.#begin(change, command)
    const head = this.#count === 0 ? '[' : ',['
    this.#count += 1
    this.#changes += `${head}${KIND_INDEX[change.kind]},${this.#commandIndex}${membersOf(change, command, previous)}]`
    this.#byStaff ||= isByStaff(change, command.actor.source)
  }

  /** Null: nothing was added. */
  pack(): PackedRow | null {
    if (!this.#first) return null
    const { change, command } = this.#first
    return {
      firstSeq: change.seq,
      lastSeq: change.seq + this.#count - 1,
      at: change.at,
      firstCommand: command.commandId,
      lastCommand: this.#command!.commandId,
      byStaff: this.#byStaff,
      encoding: ENCODING,
      packed: `[[${this.#commands}],[${this.#changes}],${JSON.stringify([...this.#agents.keys()])}]`,
    }
  }

  #begin(change: Change, command: Command): void {
    const { commandId, actor } = command
    const { from } = actor
    this.#command = command
    this.#at = change.at
    const at = change.at === this.#first!.change.at ? '' : `,${change.at}`
    const origin =
      from || at !== ''
        ? `,${JSON.stringify(from?.address ?? null)},${this.#agent(from?.userAgent)}${at}`
        : ''
    const head = this.#commandIndex < 0 ? '[' : ',['
    this.#commandIndex += 1
    this.#commands += `${head}"${commandId}",${quoted(actor.person?.userId ?? null)},"${actor.source}"${origin}]`
  }

  #agent(agent: string | null | undefined): number | null {
    if (agent === null || agent === undefined) return null
    let index = this.#agents.get(agent)
    if (index === undefined) {
      index = this.#agents.size
      this.#agents.set(agent, index)
    }
    return index
  }
}

/** A row of the journal. `at` is in milliseconds. */
export interface PackedRow {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly at: number
  readonly firstCommand: CommandId
  readonly lastCommand: CommandId
  /** True if staff did something in it that is looked up by seat or by person. */
  readonly byStaff: boolean
  readonly encoding: number
  readonly packed: string
}

/** A change as the journal keeps it. */
export interface Entry {
  readonly change: Change
  readonly commandId: CommandId
  readonly actorId: UserId | null
  readonly source: Source
  /** The command came from here. Null: not known. */
  readonly from: { readonly address: string | null; readonly userAgent: string | null } | null
  /** A change of a hold has the seq of the hold's entry before, 0 for the first. Null: of no hold. */
  readonly previous: number | null
}

/** True for what staff did to a seat, or what may be looked up by the person who did it. */
export function isByStaff(change: Change, source: Source): boolean {
  const { kind } = change
  return (
    kind === 'seat_blocked' ||
    kind === 'seat_unblocked' ||
    kind === 'ticket_voided' ||
    ((source === 'admin' || source === 'api') && kind !== 'seat_reserved')
  )
}

/** The version that is written and read. */
const ENCODING = 1

/** A packed row that can't be read. */
export class DamagedJournal extends Error {}

/** The entries of a row from one seq to another, both included. Throws DamagedJournal. */
export function unpack(
  row: Pick<PackedRow, 'firstSeq' | 'lastSeq' | 'at' | 'encoding' | 'packed'>,
  { from = row.firstSeq, to = row.lastSeq }: { readonly from?: number; readonly to?: number } = {},
): Entry[] {
  if (row.encoding !== ENCODING) {
    throw damaged(row, `version ${row.encoding} of its encoding is not known here: a newer release wrote it`)
  }
  try {
    return readPositional(row, Math.max(from, row.firstSeq), Math.min(to, row.lastSeq))
  } catch (error) {
    throw damaged(row, (error as Error).message)
  }
}

type Readable = Parameters<typeof unpack>[0]

function damaged({ firstSeq, lastSeq }: Readable, problem: string): DamagedJournal {
  return new DamagedJournal(`entries ${firstSeq} to ${lastSeq} of the journal can't be read: ${problem}`)
}

function readPositional(row: Readable, from: number, to: number): Entry[] {
  const [commands, changes, agents] = JSON.parse(row.packed)
  assert(
    Array.isArray(commands) && Array.isArray(changes) && Array.isArray(agents),
    'commands, changes and user agents',
  )
  assert(changes.length === row.lastSeq - row.firstSeq + 1, 'the number of entries')
  const entries: Entry[] = []
  for (let seq = from; seq <= to; seq += 1) {
    const packed = changes[seq - row.firstSeq]
    const kind = KINDS[packed[0]]
    const command = commands[packed[1]]
    assert(kind !== undefined, `entry ${seq} is of a kind that is not known here: ${packed[0]}`)
    assert(Array.isArray(command), `a command that is not there: ${packed[1]}`)
    const [commandId, actorId, source, address = null, agent = null, at = row.at] = command
    const hasFrom = command.length > 3
    const from = hasFrom ? { address, userAgent: agent === null ? null : agents[agent] } : null
    const previous = isOfHold(kind) ? packed[2] : null
    const change = readMembers(packed, { kind, seq, at, actorId, address })
    entries.push({ change, commandId, actorId, source, from, previous })
  }
  return entries
}

const OF_HOLD = ['holdId', 'ordinal', 'version', 'zoneIndex', 'quantity'] as const
const OF_SEAT = ['ordinal', 'version', 'zoneIndex', 'reason'] as const

/** The members of each kind, in the order in which they are packed. What may be left out comes last. */
const FIELDS = {
  seat_reserved: [...OF_HOLD, 'userId', 'ip', 'cartToken', 'heldUntil', 'capUntil'],
  seat_hold_extended: [...OF_HOLD, 'heldUntil', 'capUntil'],
  payment_started: [...OF_HOLD, 'checkoutId', 'heldUntil'],
  hold_reduced: [...OF_HOLD, 'freed'],
  hold_transferred: [...OF_HOLD, 'userId', 'heldUntil', 'capUntil'],
  seat_hold_expired: OF_HOLD,
  seat_released: [...OF_HOLD, 'reason', 'notes'],
  seat_converted: [...OF_HOLD, 'userId', 'checkoutId', 'ticketIds'],
  seat_blocked: OF_SEAT,
  seat_unblocked: OF_SEAT,
  companions_released: ['zoneIndex', 'occupied', 'capacity', 'ordinals'],
  ticket_voided: ['ticketId', 'ordinal', 'version', 'zoneIndex', 'reason'],
  payment_ended: [...OF_HOLD, 'checkoutId'],
} as const satisfies { readonly [K in PositionalKind]: readonly (keyof ChangeOf<K>)[] }

/** Kinds whose last member may be left out. */
const ENDS_OPTIONAL = { seat_hold_extended: true }

/** Packed as an object: each of its members may be left out, and null means something. */
type EventChangedKind = 'event_changed'
type PositionalKind = Exclude<Change['kind'], EventChangedKind>
type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>
/** Members that FIELDS has forgotten: the compiler refuses when there is one. */
type Forgotten = {
  [K in PositionalKind]: Exclude<keyof ChangeOf<K>, (typeof FIELDS)[K][number] | 'seq' | 'at' | 'kind'>
}[PositionalKind]
const NOTHING_FORGOTTEN: [Forgotten] extends [never] ? true : Forgotten = true
void NOTHING_FORGOTTEN

/** The number of each kind in the journal. */
const KIND_INDEX: Readonly<Record<Change['kind'], number>> = {
  seat_reserved: 0,
  seat_hold_extended: 1,
  payment_started: 2,
  hold_reduced: 3,
  hold_transferred: 4,
  seat_hold_expired: 5,
  seat_released: 6,
  seat_converted: 7,
  seat_blocked: 8,
  seat_unblocked: 9,
  event_changed: 10,
  companions_released: 11,
  ticket_voided: 12,
  payment_ended: 13,
}
const KINDS = Object.keys(KIND_INDEX) as Change['kind'][]

function isOfHold(kind: Change['kind']): boolean {
  return KIND_INDEX[kind] <= KIND_INDEX.seat_converted || kind === 'payment_ended'
}

function membersOf(change: Change, { actor }: Command, previous: number): string {
  switch (change.kind) {
    case 'seat_reserved': {
      // Nearly all there are: written out. Ids and numbers have nothing to quote.
      const { at, holdId, ordinal, version, zoneIndex, quantity, ip, cartToken, heldUntil, capUntil } = change
      const user = change.userId === actor.person?.userId ? '0' : `"${change.userId}"`
      return `,${previous},"${holdId}",${ordinal},${version},${zoneIndex},${quantity},${user},${ipOf(ip, actor)},${
        cartToken === null ? 'null' : JSON.stringify(cartToken)
      },${heldUntil - at},${capUntil - at}`
    }
    case 'seat_hold_extended':
    case 'payment_started':
    case 'hold_reduced':
    case 'hold_transferred':
    case 'seat_hold_expired':
    case 'seat_released':
    case 'seat_converted':
    case 'payment_ended':
      return `,${previous}${positional(change, FIELDS[change.kind], actor)}`
    case 'seat_blocked':
    case 'seat_unblocked':
    case 'companions_released':
    case 'ticket_voided':
      return positional(change, FIELDS[change.kind], actor)
    case 'event_changed': {
      const { seq: _seq, at: _at, kind: _kind, ...update } = change
      return `,${JSON.stringify(update)}`
    }
    default:
      return assertNever(change, 'a kind of change that is not packed')
  }
}

function positional(change: Change, fields: readonly string[], actor: Command['actor']): string {
  let text = ''
  for (const field of fields) {
    const value = (change as unknown as Record<string, unknown>)[field]
    if (value === undefined) break
    text += ','
    if (field === 'heldUntil' || field === 'capUntil') text += (value as number) - change.at
    else if (field === 'userId' && value === actor.person?.userId) text += '0'
    else if (typeof value === 'number' || value === null) text += value
    else text += JSON.stringify(value)
  }
  return text
}

function readMembers(
  packed: readonly unknown[],
  {
    kind,
    seq,
    at,
    actorId,
    address,
  }: {
    kind: Change['kind']
    seq: number
    at: number
    actorId: UserId | null
    address: string | null
  },
): Change {
  if (kind === 'event_changed') return { ...(packed[2] as object), kind, seq, at }
  const fields: readonly string[] = FIELDS[kind]
  const start = isOfHold(kind) ? 3 : 2
  const members: Record<string, unknown> = { kind, seq, at }
  const count = packed.length - start
  assert(count <= fields.length, `more members than a change of the kind ${kind} has`)
  assert(
    count >= fields.length - (kind in ENDS_OPTIONAL ? 1 : 0),
    `fewer members than a change of the kind ${kind} has`,
  )
  for (let index = 0; index < count; index += 1) {
    const field = fields[index]!
    const value = packed[start + index]
    if (field === 'heldUntil' || field === 'capUntil') members[field] = at + (value as number)
    else if (field === 'userId' && value === 0) members[field] = actorId
    else if (field === 'ip' && value === 0) members[field] = address
    else members[field] = value
  }
  return members as unknown as Change
}

function ipOf(ip: string | null, { from }: Command['actor']): string {
  if (ip === null) return 'null'
  return ip === from?.address ? '0' : JSON.stringify(ip)
}

function quoted(id: string | null): string {
  return id === null ? 'null' : `"${id}"`
}
