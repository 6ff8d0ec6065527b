import type { Report, ScenarioInput } from '../scenario.ts'
import { type Row, spread, toFirst } from '../table.ts'
import { Installation } from './installation.ts'

/** Buyers read what is their own right after they changed it, by whichever process; and that has a price. */
export async function measureCarts(input: ScenarioInput): Promise<Report> {
  const rows: Row[] = []
  const problems: string[] = []
  for (const text of input.words('on')) {
    const installation = await Installation.start(input.stage, text, { isCompared: false })
    try {
      input.say(`Carts on ${installation.name} …`)
      const { row, tooOld } = await measureOn(installation, input)
      rows.push(row)
      if (tooOld > 0) problems.push(`${row.what}: ${tooOld} carts were too old`)
    } finally {
      await installation.stop()
    }
  }
  const notes = [
    'A cart is too old when it lacks the seat that was held before, over another connection, which another worker',
    'or node takes. Then readers ask without a pause for their carts, or for one seat, while others hold seats.',
  ]
  return {
    tables: [{ quote: 'carts.table', rows, ratios: [toFirst(rows, 'cartsPerSecond')], notes }],
    problems,
  }
}

async function measureOn(installation: Installation, { stage, number, quick }: ScenarioInput) {
  const { site, name } = installation
  const tokens = await site.guests(number('guests'))
  const hall = await site.hall(number('seats'))
  const openEvent = async () => {
    const eventId = await hall.openEvent()
    await installation.load([eventId])
    return eventId
  }
  const [holdAt, readAt = holdAt] = site.ports
  const seatIds = hall.seatIds.slice(0, number('tries'))
  const order = { holdAt: holdAt!, readAt: readAt!, tokens, eventId: await openEvent(), seatIds }
  const after = await stage.generator().give('ownReads', order)
  const reads = async (path: string, seconds: number) => {
    const eventId = await openEvent()
    const [readers, holders] = [number('readers'), number('readers')]
    return stage.generator().give('reads', {
      ...{ ports: site.ports, path: `/api/events/${eventId}/${path}`, readers, holders, seconds },
      ...{ tokens, eventId, seatIds: hall.seatIds },
    })
  }
  const seconds = number('seconds') || 1
  // Not measured: code is compiled.
  if (!quick) await reads('cart', 3)
  const cart = await reads('cart', seconds)
  const seat = await reads(`seats/${hall.seatIds.at(-1)}`, seconds)
  const row: Row = {
    what: name,
    figures: {
      tooOld: after.missing,
      of: after.tries,
      ...spread('cartAfterHold', after.cart),
      cartsPerSecond: cart.readsPerSecond,
      ...spread('cart', cart.reads),
      holdsMeanwhilePerSecond: cart.holdsPerSecond,
      seatsReadPerSecond: seat.readsPerSecond,
      ...spread('seat', seat.reads),
      holdsThenPerSecond: seat.holdsPerSecond,
    },
    others: { ...after.others, ...cart.others, ...seat.others },
  }
  return { row, tooOld: after.missing }
}
