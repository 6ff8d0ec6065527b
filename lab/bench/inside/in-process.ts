import { createInterface } from 'node:readline'
import type { FiguresOf, Reporter, TaskOptions, Tasks } from '../stage/in-process.ts'
import { type Ground, openGround } from './ground.ts'
import { measureLatency } from './latency.ts'
import { measureMemory } from './memory.ts'
import { measurePgbench } from './pgbench.ts'
import { measureReaping } from './reap.ts'
import { measureSize } from './size.ts'
import { measureThroughput } from './throughput.ts'
import { measureWarm } from './warm.ts'

/**
 * Does the work of a benchmark inside a process of the server, where the lab may not go. Argument: the
 * Postgres and the seed as JSON. Standard input: a line of JSON for each task. Standard output: lines of
 * JSON; the last one of a task has its figures. Ends when standard input does. All tasks have the same
 * database, which is dropped at the end.
 */
const tasks = {
  throughput: measureThroughput,
  latency: measureLatency,
  memory: measureMemory,
  pgbench: measurePgbench,
  size: measureSize,
  reap: measureReaping,
  warm: measureWarm,
} satisfies {
  [Task in keyof Tasks]: (
    ground: Ground,
    options: TaskOptions<Task>,
    reporter: Reporter,
  ) => Promise<FiguresOf<Task>>
}

const { url, seed } = JSON.parse(process.argv[2]!) as { url: string; seed: number }
const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const reporter: Reporter = { say: said => write({ said }), mark: mark => write({ mark }) }
// The parent process closes standard input when it is done, and sends SIGTERM besides. In the middle of a
// task this means that the parent does not wait for the result any more.
let isBusy = false
process.on('SIGTERM', () => {
  if (isBusy) process.exit(1)
})
process.on('SIGINT', () => {})

let ground: Ground | null = null
try {
  for await (const line of createInterface({ input: process.stdin })) {
    const { task, options } = JSON.parse(line) as { task: keyof Tasks; options: object }
    isBusy = true
    ground ??= await openGround(url, { seed })
    const run = tasks[task] as (ground: Ground, options: object, reporter: Reporter) => Promise<object | null>
    const figures = await run(ground, options, reporter)
    isBusy = false
    write({ figures })
  }
} finally {
  await ground?.close()
}
process.exit(0)
