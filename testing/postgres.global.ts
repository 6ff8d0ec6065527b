import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import { migrate } from '@voelgoed/kit/postgres/migrate'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { MIGRATIONS } from '../server/database/migrations.ts'
import { makeClockMovable } from './movable-clock.ts'
import { makeLocksPatient } from './patient-locks.ts'

export const TEMPLATE = 'voelgoed_template'

/**
 * One real Postgres for the whole run, with a template database that is migrated once and copied for each
 * test file. It forgets on a crash (fsync off), which no test here relies on.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-test-'))
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE}`)
  await admin.end()
  const owner = new pg.Client({ connectionString: databaseUrl(postgres.url, TEMPLATE) })
  await owner.connect()
  await makeClockMovable(owner)
  await migrate(owner, MIGRATIONS)
  await makeLocksPatient(owner)
  await owner.end()
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await tellCrashes(join(folder, 'data/postgres.log'))
    await rm(folder, { recursive: true, force: true })
  }
}

/** A server process that died took the connections of all tests with it: their errors do not say so. */
async function tellCrashes(logFile: string): Promise<void> {
  const log = await readFile(logFile, 'utf8').catch(() => '')
  const lines = log
    .split('\n')
    .filter(line => /was terminated by signal|exited with exit code [^01]/.test(line))
  if (lines.length > 0) console.warn(`Processes of the tests' Postgres died:\n${lines.join('\n')}`)
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}
