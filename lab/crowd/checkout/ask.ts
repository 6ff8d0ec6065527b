import type { Person } from '../../found-organization.ts'
import type { Card, Heard, HeardScan } from '../../judge/books/books.ts'
import type { LabNode } from '../../nemesis/lab-node.ts'
import type { EventOnSale } from '../../nemesis/site.ts'
import type { Random } from '../../random.ts'
import type { Recorder } from '../recorder.ts'
import type { Reply, Sending, Wire } from '../send.ts'

export interface AskDeps {
  readonly wire: Wire
  readonly recorder: Recorder
  readonly nodes: readonly LabNode[]
  readonly random: Random
}

export interface Answer {
  readonly heard: Heard
  /** The body of a success. Null: there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: as the contract says; a mutant may break it
  readonly data: any
  readonly reply: Reply | null
}

export interface Question extends Sending {
  readonly kind: Heard['kind']
  readonly person: Person
  readonly event: EventOnSale
  readonly about?: Partial<Heard>
  /** Reads from a success what only this question is about. */
  // biome-ignore lint/suspicious/noExplicitAny: as the contract says; a mutant may break it
  readonly read?: (data: any) => Partial<Heard>
}

/** Asks any node, and writes down what it says. */
export async function ask({ wire, recorder, nodes, random }: AskDeps, question: Question): Promise<Answer> {
  const { kind, person, event, about, read, ...sending } = question
  const node = random.pick<LabNode>(nodes)
  const from = performance.now()
  const sent = await wire.send(node.url, { token: person.token, ...sending })
  const base = { kind, node: node.index, user: person.userId, event: event.eventId, ...about }
  const times = { from, to: performance.now() }
  if (typeof sent === 'string') {
    const outcome = sent === 'not sent' ? 'refused' : 'unknown'
    const heard: Heard = { ...base, ...times, outcome, status: 0 }
    recorder.hear(heard)
    return { heard, data: null, reply: null }
  }
  const { status, body } = sent
  const code: string | undefined = body?.code
  const isOk = status < 400
  const isUnknown = code === 'outcome_unknown'
  const data = isOk ? (body?.data ?? null) : null
  const heard: Heard = {
    ...base,
    ...times,
    ...{ outcome: isOk ? 'ok' : isUnknown ? 'unknown' : 'refused', status },
    ...(code !== undefined && { code }),
    ...(isOk && said(kind, data)),
    ...(isOk && data !== null && read?.(data)),
  }
  recorder.hear(heard)
  return { heard, data, reply: sent }
}

// biome-ignore lint/suspicious/noExplicitAny: as the contract says; a mutant may break it
function said(kind: Heard['kind'], data: any): Partial<Heard> {
  switch (kind) {
    case 'open':
    case 'pay':
    case 'read':
    case 'cancel':
    case 'replace':
      return {
        order: data?.checkout_id,
        orderStatus: data?.status,
        ...(data?.declined && { isDeclined: true }),
      }
    case 'order':
    case 'external':
      return {
        order: data?.order_id,
        tickets: data?.tickets?.map((one: { ticket_id: string }) => one.ticket_id),
      }
    default:
      return {}
  }
}

const NUMBERS: Readonly<Record<Card, string>> = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  no_money: '4000 0000 0000 9995',
  step: '4000 0025 0000 3155',
  late: '4000 0000 0000 0341',
  disputed: '4000 0000 0000 0259',
}

export function cardBody(card: Card): object {
  return { card: { number: NUMBERS[card], expiry: '12/40', cvc: '737' } }
}

/** As the answer to a scan has it. */
export function scanOf(
  data: { result: 'admitted' | 'refused'; code: string | null; entry_id: string | null },
  scan: Pick<HeardScan, 'ticket' | 'device' | 'scan'>,
): HeardScan {
  return { ...scan, result: data.result, code: data.code, entry: data.entry_id }
}
