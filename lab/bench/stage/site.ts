import { rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuestSession } from '@voelgoed/contract/accounts'
import { replacePolicy } from '@voelgoed/contract/events'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { Caller } from '../../call-route.ts'
import { foundOrganization } from '../../found-organization.ts'
import { type Memory, readMemory } from '../../spawn-server.ts'
import { buyerAddress } from '../load/closed-loop.ts'
import { type Child, startProgram } from './child.ts'
import { buildHall, type Hall, NO_LIMITS } from './hall.ts'
import type { BenchDatabase, BenchPostgres } from './postgres.ts'
import { childrenOf, treeSeconds } from './processor-time.ts'

/** The real server, started as in production, with an organization whose policy limits no buyer. */
export interface Site {
  readonly url: string
  readonly port: number
  /** One for each node. */
  readonly ports: readonly number[]
  readonly database: BenchDatabase
  readonly caller: Caller
  readonly organizer: string
  readonly customer: string
  /** A layout of so many seats: the same for the same number. */
  hall(seats: number): Promise<Hall>
  /** A layout that the caller describes. */
  build(config: LayoutConfig): Promise<Hall>
  /** Tokens of so many buyers: the same ones again, and more when more are wanted. */
  guests(count: number): Promise<readonly string[]>
  /** Processor time of the server so far, of all its processes. Null where there is no /proc. */
  cpuSeconds(): number | null
  memory(): Memory | null
  stop(): Promise<void>
}

const ROOT_KEY = 'root-key-of-the-bench'
const SLUG = 'bench'

export interface SiteOptions {
  readonly seed: number
  /** Processes behind the port of each node. */
  readonly workers: number
  readonly server: string | null
  readonly profile: string | null
  /** Servers with a port of their own, on one database; 1 if left out. */
  readonly nodes?: number
  /** Settings of theirs beside the usual ones. */
  readonly env?: Readonly<Record<string, string>>
}

export async function startSite(postgres: BenchPostgres, options: SiteOptions): Promise<Site> {
  const { seed, workers, profile, nodes = 1 } = options
  const database = await postgres.newDatabase()
  const logFile = join(tmpdir(), `voelgoed-bench-${process.pid}-${database.url.slice(-12)}.log`)
  const log = await open(logFile, 'w')
  const forgetLog = () => rmSync(logFile, { force: true })
  process.once('exit', forgetLog)
  const servers: Child[] = []
  const startServer = (): Promise<string> => {
    const server = startProgram(['main'], {
      env: {
        PORT: '0',
        DATABASE_URL: database.url,
        VOELGOED_ROOT_KEY: ROOT_KEY,
        VOELGOED_DEMO: '0',
        VOELGOED_DRAIN_SECONDS: '0',
        VOELGOED_PAYMENTS: 'simulator',
        VOELGOED_WORKERS: String(workers),
        // All guests come from one address.
        VOELGOED_LIMITS: 'off',
        ...options.env,
      },
      folder: options.server,
      stderr: log.fd,
      profile,
    })
    servers.push(server)
    return server.find(line => /^Ready at (http:\S+)/.exec(line)?.[1] ?? null)
  }
  const stop = async (caller: Caller | null) => {
    caller?.close()
    await Promise.all(servers.map(server => server.stop()))
    await log.close()
    forgetLog()
    process.off('exit', forgetLog)
    await database.drop()
  }
  let caller: Caller | null = null
  try {
    const url = await startServer()
    // The first one has migrated the database.
    const urls = [url, ...(await Promise.all(Array.from({ length: nodes - 1 }, startServer)))]
    caller = new Caller(url)
    const { people } = await foundOrganization(caller, ROOT_KEY, SLUG)
    await caller.get(replacePolicy, { token: people.organizer.token, body: NO_LIMITS })
    const halls = new Map<number, Promise<Hall>>()
    const guests: string[] = []
    const ready = caller
    return {
      url,
      port: Number(new URL(url).port),
      ports: urls.map(one => Number(new URL(one).port)),
      database,
      caller,
      organizer: people.organizer.token,
      customer: people.customer.token,
      hall(seats) {
        const hall =
          halls.get(seats) ??
          buildHall(ready, people.organizer.token, {
            config: generateVenue({ kind: 'stadium', seats, seed }),
            seed,
          })
        halls.set(seats, hall)
        return hall
      },
      build: config => buildHall(ready, people.organizer.token, { config, seed }),
      async guests(count) {
        await addGuests(ready, guests, count)
        return guests.slice(0, count)
      },
      cpuSeconds: () => sumOf(servers.map(({ pid }) => treeSeconds(pid))),
      memory: () => memoryOf(servers.map(({ pid }) => pid)),
      stop: () => stop(ready),
    }
  } catch (error) {
    const said = await readFile(logFile, 'utf8').catch(() => '')
    await stop(caller)
    throw new Error(`the server did not start: ${(error as Error).message}\n${said.slice(-2_000)}`)
  }
}

function sumOf(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)
}

/** Adds up the servers and their workers. Null where there is no /proc. */
function memoryOf(pids: readonly number[]): Memory | null {
  const all = pids.flatMap(pid => [pid, ...childrenOf(pid)]).flatMap(pid => readMemory(pid) ?? [])
  if (all.length === 0) return null
  return {
    rssBytes: all.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  }
}

async function addGuests(caller: Caller, guests: string[], count: number): Promise<void> {
  let begun = guests.length
  const start = async () => {
    while (begun < count) {
      begun += 1
      // Believed only by a site that trusts its proxy: there the limits by address are on.
      const headers = { 'x-forwarded-for': buyerAddress(begun) }
      const session = await caller.get(startGuestSession, { body: { organization: SLUG }, headers })
      guests.push(session.data.token)
    }
  }
  await Promise.all(Array.from({ length: 32 }, start))
}
