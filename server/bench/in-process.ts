import { measureLatency } from './latency.ts'
import { measureMemory } from './memory.ts'
import { measurePgbench } from './pgbench.ts'
import type { Reporter } from './reporter.ts'
import { measureThroughput } from './throughput.ts'

/**
 * What a benchmark wants done inside a process of the server, where the lab may not go. Arguments: the task, and
 * its options as JSON. Standard output: lines of JSON; the last one has the figures.
 */
const tasks = {
  throughput: measureThroughput,
  latency: measureLatency,
  memory: measureMemory,
  pgbench: measurePgbench,
} as const

const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const reporter: Reporter = { say: said => write({ said }), mark: mark => write({ mark }) }
const [task, options] = process.argv.slice(2)
const run = tasks[task as keyof typeof tasks] as (
  options: unknown,
  reporter: Reporter,
) => Promise<object | null>
write({ figures: await run(JSON.parse(options!), reporter) })
