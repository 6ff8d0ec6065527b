import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Stage, setStage } from './stage.ts'
import { layoutTests } from './topics/console-layouts.ts'

let stage: Stage

beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

layoutTests(() => stage)
