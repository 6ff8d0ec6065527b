import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Stage, setStage } from './stage.ts'
import { consoleTests } from './topics/console.ts'
import { figuresTests } from './topics/console-figures.ts'

let stage: Stage

beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

consoleTests(() => stage)
figuresTests(() => stage)
