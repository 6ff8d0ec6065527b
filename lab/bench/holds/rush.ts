import { readOccupancy } from '@voelgoed/contract/holds'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import type { Report, ScenarioInput } from '../scenario.ts'
import { toFirst } from '../table.ts'
import { Installation } from './installation.ts'

/** As many groups of four as the hall has room for, all at the same moment, on two nodes. */
export async function measureRush({ stage, number, seed, quick, say }: ScenarioInput): Promise<Report> {
  say('A rush …')
  const installation = await Installation.start(stage, quick ? '1' : '2', { isCompared: false })
  try {
    const { site, name } = installation
    const hall = await site.build(blocks(number('rush')))
    const eventId = await hall.openEvent()
    const groups = hall.seatIds.length / 4
    const { holds, seconds, p50Ms, p99Ms } = await stage.generator().give('closedLoop', {
      ...{ ports: site.ports, connections: groups, seconds: 60, seed, keyed: true },
      ...{ tokens: await site.guests(groups), eventIds: [eventId], seatIds: hall.seatIds },
      ...{ workload: 'best', quantity: 4 },
    })
    const params = { event: eventId }
    const { held } = (await site.caller.get(readOccupancy, { token: site.organizer, params })).data
    const what = `groups of four at one moment, ${name}`
    const rows = [
      {
        what,
        figures: {
          groups,
          seated: holds,
          seatsHeld: held,
          seconds,
          perSecond: holds / seconds,
          p50Ms,
          p99Ms,
        },
      },
    ]
    return {
      tables: [{ quote: 'best.rush', rows, ratios: [toFirst(rows, 'perSecond')] }],
      problems: [
        ...(holds === groups ? [] : [`${groups - holds} groups were sent away before the hall was full`]),
        ...(held === 4 * groups ? [] : [`${held} seats are held, not as many as were given`]),
      ],
    }
  } finally {
    await installation.stop()
  }
}

/** Rows of two blocks of twenty with an aisle between: room for five groups in each, and none left over. */
function blocks(groups: number): LayoutConfig {
  const perRow = 40
  const seats = Array.from({ length: Math.ceil((4 * groups) / perRow) * perRow }, (_, index) => {
    const [row, place] = [Math.floor(index / perRow), index % perRow]
    const x = place < perRow / 2 ? place : place + 2
    return { row: `R${row + 1}`, number: place + 1, coordinates: { x, y: row } }
  })
  return { zones: [{ name: 'Hall', zone_type: 'reserved_seating', seats }] }
}
