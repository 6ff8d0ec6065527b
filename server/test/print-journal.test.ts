import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { programArguments } from '../../scripts/build/programs.mjs'

const ABSENT = '10000000-0000-7000-8000-00000000dead'

let server: TestServer
let ours: TestOrganization
let eventId: string

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization('Ours')
  eventId = (await eventOnSale(server, ours)).eventId
  const token = ours.tokens.customer
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token })
  const seat = layout.body.data.zones[0].seats[0].seat_id
  const held = await server.request('POST', `/api/events/${eventId}/seats/${seat}/reserve`, { token })
  await server.request('DELETE', `/api/holds/${held.body.data.hold_id}`, { token })
})
afterAll(() => server.close())

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [...programArguments('journal'), ...args], {
    cwd: new URL('../../', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

it('npm run journal prints a line for each change: seq, time, kind, place, who and from where', async () => {
  const { code, stdout } = await run(eventId, '--database', server.database.url)
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^ {7}1 {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}event_changed /)
  expect(lines[1]).toMatch(/^ {7}2 {2}\S+ {2}seat_reserved .* A-1 {2}by \S+ {2}from web 127\.0\.0\.1$/)
  expect(lines[2]).toMatch(/^ {7}3 {2}\S+ {2}seat_released .* A-1 {2}\(user_cancelled\) {2}by /)
})

it('prints a part of it, as JSON, of an organization that is named', async () => {
  const { stdout } = await run(
    ...[eventId, '--database', server.database.url, '--organization', ours.slug],
    ...['--from', '2', '--to', '2', '--json'],
  )
  expect(JSON.parse(stdout)).toMatchObject({ seq: '2', kind: 'seat_reserved', seat_label: 'A-1' })
})

it('says in one line what is wrong', async () => {
  const url = server.database.url
  const [unknown, foreign, nothing, odd] = await Promise.all([
    run(ABSENT, '--database', url),
    run(eventId, '--database', url, '--organization', 'another'),
    run('--database', url),
    run(eventId, '--database', url, '--from', 'x'),
  ])
  expect(unknown).toEqual({
    code: 2,
    stdout: '',
    stderr: `journal: there is no event ${ABSENT}: check the id, and which database it is in\n`,
  })
  expect(foreign).toEqual({
    code: 2,
    stdout: '',
    stderr: `journal: there is no event ${eventId} of the organization another: check the id, and which database it is in\n`,
  })
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^journal: name one event.*\n$/) })
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringMatching(/^journal: --from must be .*\n$/) })
})

it.each([
  ['a malformed id', ['not-a-uuid', '--database', 'postgres://x@127.0.0.1:1/x'], /is no id of an event/],
  ['no database', [ABSENT], /--database is missing/],
  ['an address that is none', [ABSENT, '--database', 'nonsense'], /must look like postgres:/],
  [
    'a database out of reach',
    [ABSENT, '--database', 'postgres://x:hunter2@127.0.0.1:1/x'],
    /no connection to Postgres at 127\.0\.0\.1:1\/x/,
  ],
  ['a negative number', [ABSENT, '--database', 'postgres://x@127.0.0.1:1/x', '--from', '-5'], /--from/],
  [
    'a negative number, attached',
    [ABSENT, '--database', 'postgres://x@127.0.0.1:1/x', '--to=-5'],
    /--to must be/,
  ],
  [
    'the end before the beginning',
    [ABSENT, '--database', 'postgres://x@127.0.0.1:1/x', '--from', '9', '--to', '3'],
    /--to must not be less/,
  ],
  ['an option that is not known', [ABSENT, '--hold', ABSENT], /--hold/],
])('%s: one line, exit code 2, no stack', async (_, args, pattern) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^journal: [^\n]+\n$/)
  expect(stderr).toMatch(pattern)
  expect(stderr).not.toMatch(/hunter2|node_modules/)
})
