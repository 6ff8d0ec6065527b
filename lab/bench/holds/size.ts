import type { Report, ScenarioInput } from '../scenario.ts'
import { formatted, type Row, spread, toFirst } from '../table.ts'

/** The costs of an event by how many seats it has, and by how many holds lie behind it. */
export async function measureSizes({ list, number, stage, say }: ScenarioInput): Promise<Report> {
  const rows: Row[] = []
  const problems: string[] = []
  for (const history of list('history')) {
    for (const seats of list('sizes')) {
      const what = `${seats.toLocaleString('en')} seats, ${history.toLocaleString('en')} holds of history`
      say(`${what} …`)
      const options = { seats, history, samples: number('samples'), verify: number('verify') > 0 }
      const { figures } = await stage.inProcess('size', options)
      const { hold, availability, occupancy, startUpMs, stateBytes, violations } = figures
      const spreads = {
        ...spread('hold', hold),
        ...spread('availability', availability),
        ...spread('occupancy', occupancy),
      }
      rows.push({ what, figures: { ...spreads, startUpMs, stateBytes, violations } })
      if (violations !== null && violations > 0)
        problems.push(`${what}: npm run verify finds ${violations} violations`)
    }
  }
  const [first, last] = [rows[0]!, rows.at(-1)!]
  const change = (figure: string) =>
    [first, last].map(({ what, figures }) => `${formatted(figure, figures[figure])} (${what})`).join(' → ')
  const notes = [
    'In process, one at a time. Start-up: a node that has just started loads the event. Availability: two bits a seat,',
    'through every layer of the server but the network. Violations: of npm run verify, afterwards.',
  ]
  return {
    tables: [{ quote: 'size.table', rows, ratios: [toFirst(rows, 'holdP50Ms')], notes }],
    problems,
    quotes: {
      'size.hold': change('holdP50Ms'),
      'size.availability': change('availabilityP50Ms'),
      'size.occupancy': change('occupancyP50Ms'),
      'size.startUp': change('startUpMs'),
      'size.memory': formatted('stateBytes', last.figures.stateBytes),
    },
  }
}
