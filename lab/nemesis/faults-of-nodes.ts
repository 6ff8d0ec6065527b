import { setTimeout as delay } from 'node:timers/promises'
import type { Fate } from '@voelgoed/testing/postgres-proxy'
import type pg from 'pg'
import type { Fault, Scene } from './fault.ts'
import type { LabNode } from './lab-node.ts'
import { isConnectionLost, type LabPostgres } from './lab-postgres.ts'

export const NODE_FAULT_NAMES = [
  'kill',
  'kill-at',
  'freeze',
  'restart-postgres',
  'terminate',
  'lock',
  'connections',
  'disk',
  'delay',
  'half-open',
  'cut-after-commit',
  'cut-before-commit',
  'clock',
  'jitter',
  'slow-line',
  'failover',
] as const
type NodeFaultName = (typeof NODE_FAULT_NAMES)[number]

/** These harm nodes, their Postgres, and the lines between them. */
export const NODE_FAULTS: Readonly<Record<NodeFaultName, Fault>> = {
  kill: {
    about: 'kill -9 of a node, at any moment',
    of: 'node',
    async strike(_scene, node) {
      await node.kill()
      await node.revive()
      return `node ${node.index}`
    },
  },
  'kill-at': {
    about: 'kill -9 of a node at a named point of a batch',
    of: 'node',
    async strike({ random, struckPoints }, node) {
      const points = [...node.proxy.statements].flatMap(statement =>
        (['before', 'after'] as const).map(when => ({ statement, when, name: `${when} ${statement}` })),
      )
      // All of them once before any of them twice.
      const fresh = points.filter(({ name }) => !struckPoints.has(name))
      const { statement, when, name } = random.pick(fresh.length > 0 ? fresh : points)
      struckPoints.add(name)
      const struck = await atNext(node, statement, async () => {
        if (when === 'before') {
          await node.kill()
          return 'cut before'
        }
        // Frozen, it can't hear what came of it; and then it dies.
        node.signal('SIGSTOP')
        return 'cut after'
      })
      if (!struck) return `${name} of node ${node.index}: it never came`
      if (when === 'after') await delay(150)
      await node.kill()
      await node.revive()
      return `${name} of node ${node.index}`
    },
  },
  freeze: {
    about: 'SIGSTOP for longer than a hold lives, then SIGCONT',
    of: 'node',
    async strike({ freezeMs }, node) {
      node.signal('SIGSTOP')
      await delay(freezeMs)
      node.signal('SIGCONT')
      return `node ${node.index} for ${freezeMs} ms`
    },
  },
  'restart-postgres': {
    about: 'immediate shutdown of Postgres, and a start from its log',
    of: 'postgres',
    async strike({ postgres, nodes }) {
      await postgres.restart()
      for (const { proxy } of nodes) proxy.pointTo(postgres.url)
      return 'on another port'
    },
  },
  terminate: {
    about: "a node's backends terminated, again and again",
    of: 'node',
    async strike({ postgres, random }, node) {
      const client = await postgres.connect()
      let ended = 0
      for (let times = 0; client && times < 5; times += 1) {
        const { rows } = await client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where client_port = any ($1::int[])',
          [node.proxy.upstreamPorts],
        )
        ended += rows.length
        await delay(random.below(300))
      }
      await client?.end()
      return `${ended} backends of node ${node.index}`
    },
  },
  lock: {
    about: "another session keeps an event's lock",
    of: 'postgres',
    async strike({ postgres, events }) {
      const client = await postgres.connect()
      await client?.query('begin')
      await client?.query('select from event_ledgers where event_id = $1 for update', [events()[0]!.eventId])
      await delay(2_500)
      await client?.query('rollback').catch(() => {})
      await client?.end()
      return 'for 2.5 s'
    },
  },
  connections: {
    about: 'every connection of Postgres taken by another program',
    of: 'postgres',
    async strike({ postgres, nodes }) {
      const taken = []
      for (const { proxy } of nodes) proxy.cutAll()
      for (let client = await postgres.connect(); client; client = await postgres.connect())
        taken.push(client)
      await delay(2_000)
      for (const client of taken) await client.end().catch(() => {})
      return `${taken.length} taken`
    },
  },
  disk: {
    about: 'the disk of Postgres is full',
    of: 'postgres',
    impossible: ({ postgres }) => postgres.diskNote,
    async strike({ postgres, nodes }) {
      await postgres.fillDisk()
      await delay(2_500)
      await postgres.emptyDisk()
      await postgres.ensure()
      for (const { proxy } of nodes) proxy.pointTo(postgres.url)
      return 'for 2.5 s'
    },
  },
  delay: {
    about: '200 ms each way between a node and Postgres',
    of: 'node',
    async strike(_scene, node) {
      node.proxy.delayMs = 200
      await delay(3_000)
      node.proxy.delayMs = 0
      return `node ${node.index} for 3 s`
    },
  },
  'half-open': {
    about: 'connections that look alive and carry nothing',
    of: 'node',
    async strike(_scene, node) {
      node.proxy.silence()
      await delay(4_000)
      node.proxy.endSilence()
      return `node ${node.index} for 4 s`
    },
  },
  'cut-after-commit': {
    about: 'connections cut after COMMIT was sent',
    of: 'node',
    strike: (scene, node) => cutCommits(scene, node, 'cut after'),
  },
  'cut-before-commit': {
    about: 'connections cut before COMMIT gets through',
    of: 'node',
    strike: (scene, node) => cutCommits(scene, node, 'cut before'),
  },
  clock: {
    about: "a node's wall clock ten minutes off",
    of: 'node',
    async strike({ random }, node) {
      const minutes = random.pick([10, -10])
      node.setClock(minutes * 60_000)
      await delay(2_500)
      node.setClock(0)
      return `node ${node.index}, ${minutes} minutes`
    },
  },
  'slow-line': {
    about:
      '5 ms each way between a node and Postgres, for as long as a busy minute needs: it must not starve',
    of: 'node',
    async strike(_scene, node) {
      node.proxy.delayMs = 5
      await delay(SLOW_LINE_MS)
      node.proxy.delayMs = 0
      return `node ${node.index} for ${SLOW_LINE_MS / 1000} s`
    },
  },
  failover: {
    about: 'Postgres fails over to a replica that lacks the last commits',
    of: 'postgres',
    async strike({ postgres, nodes }) {
      const replica = await copyOf(postgres)
      await delay(800)
      for (const { proxy } of nodes) proxy.shut()
      await replica.promote()
      for (const { proxy } of nodes) proxy.open()
      return 'of the last 0.8 s'
    },
  },
  jitter: {
    about: 'locks and commits of all nodes late by up to 60 ms, so that they meet',
    of: 'postgres',
    async strike({ nodes, random }) {
      for (const { proxy } of nodes) {
        proxy.trap = async (statement): Promise<Fate> => {
          if (statement === 'commit' || statement === 'lock_ledger') await delay(random.below(60))
          return 'pass'
        }
      }
      await delay(1_500)
      for (const { proxy } of nodes) proxy.trap = null
      return 'for 1.5 s'
    },
  },
}

/** Longer than a request waits for its answer: if a node starves, requests without an answer show it. */
const SLOW_LINE_MS = 16_000

/** Everything as it is now, as if a replica had stopped here. */
async function copyOf(postgres: LabPostgres): Promise<{ promote(): Promise<void> }> {
  const eachTable = (statement: string) => `do $$
    declare t text;
    begin
      perform set_config('session_replication_role', 'replica', true);
      for t in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        and relname not like 'schema_migrations%' order by relname
      loop ${statement} end loop;
    end $$`
  await insist(postgres, async client => {
    await client.query('drop schema if exists replica cascade; create schema replica')
    // All of one moment.
    await client.query('begin isolation level repeatable read')
    await client.query(eachTable(`execute format('create table replica.%1$I as table public.%1$I', t);`))
    await client.query('commit')
  })
  return {
    promote: () =>
      insist(postgres, async client => {
        const { rows } = await client.query(`select to_regnamespace('replica') as replica`)
        // An attempt before this one has lost its connection after its commit.
        if (rows[0].replica === null) return
        await client.query('begin')
        await client.query(eachTable(`execute format('lock table public.%1$I in access exclusive mode', t);`))
        await client.query(
          eachTable(`
          execute format('delete from public.%1$I', t);
          execute format('insert into public.%1$I (%2$s) overriding system value select %2$s from replica.%1$I', t, (
            select string_agg(quote_ident(attname), ', ') from pg_attribute
            where attrelid = format('public.%I', t)::regclass and attnum > 0 and not attisdropped and attgenerated = ''));`),
        )
        await client.query('drop schema replica cascade')
        await client.query('commit')
      }),
  }
}

const MOST_TRIES = 3

/** Work on a connection of its own; once more on another one when the connection is lost, a few times. */
async function insist(postgres: LabPostgres, work: (client: pg.Client) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = await postgres.connectSoon()
    try {
      await work(client)
      return
    } catch (error) {
      if (tries === MOST_TRIES || !isConnectionLost(error)) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
}

async function cutCommits(
  { random }: Scene,
  node: LabNode,
  fate: 'cut after' | 'cut before',
): Promise<string> {
  let cuts = 0
  node.proxy.trap = statement => {
    if ((statement !== 'commit' && statement !== 'other commit') || random.chance(0.5)) return 'pass'
    cuts += 1
    return fate
  }
  await delay(1_200)
  node.proxy.trap = null
  return `${cuts} commits of node ${node.index}`
}

/** The next time this statement comes by; false when it does not within a bound. */
async function atNext(
  node: LabNode,
  statement: string,
  fate: () => Promise<'cut before' | 'cut after'>,
): Promise<boolean> {
  const bound = new AbortController()
  const struck = new Promise<boolean>(resolve => {
    node.proxy.trap = async one => {
      if (one !== statement) return 'pass'
      node.proxy.trap = null
      resolve(true)
      return fate()
    }
  })
  const late = delay(3_000, false, { signal: bound.signal }).catch(() => false)
  const isStruck = await Promise.race([struck, late])
  bound.abort()
  node.proxy.trap = null
  return isStruck
}
