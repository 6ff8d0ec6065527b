import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Stage, setStage } from './stage.ts'
import { boxOfficeTests } from './topics/box-office.ts'
import { consoleDeskTests } from './topics/console-desk.ts'
import { consoleRolesTests } from './topics/console-roles.ts'
import { reportTests } from './topics/reports.ts'

let stage: Stage

beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

consoleDeskTests(() => stage)
boxOfficeTests(() => stage)
reportTests(() => stage)
consoleRolesTests(() => stage)
