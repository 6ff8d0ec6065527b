import { runTask } from '@voelgoed/kit/threads/task'
import { TASKS } from './tasks.ts'

/** The program of all threads of the server. */
await runTask(TASKS)
