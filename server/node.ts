import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { endRequests, takeLastRequests } from '@voelgoed/kit/http/end-requests'
import { Jobs } from '@voelgoed/kit/jobs/jobs'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { Config } from './config.ts'
import { openModules } from './modules.ts'
import { type App, buildApp } from './node/app.ts'
import type { DrainReason, NodeDeps } from './node/node-deps.ts'
import { openKit } from './node/open-kit.ts'

type Exposed = Awaited<ReturnType<typeof openModules>>['exposed']

export interface Node extends Exposed {
  readonly app: App
  readonly database: Database
  readonly metrics: Pick<MetricMakers, 'registry'>
  /** Starts to accept requests; returns the address. */
  listen(): Promise<string>
  /**
   * Starts the jobs that one process of a machine does for all: a node without a keeper does them from the
   * start.
   */
  takeJobs(): void
  /**
   * Says that it is leaving, and goes on for so many seconds, so that balancers send nothing more; then stops
   * accepting, finishes what is in flight within a bound, lets go of everything.
   */
  drain(why?: DrainReason, seconds?: number): Promise<void>
  /** Ends the waiting of a drain that is under way; requests in flight are cut off. */
  hurry(): void
}

/** One node of the system on a Postgres: everything wired, nothing listening yet. */
export async function startNode(config: Config, databaseUrl: string, deps: NodeDeps): Promise<Node> {
  const { log } = deps
  const opened = await openKit(config, databaseUrl, deps)
  const { kit, state } = opened
  const { modules, judging, exposed } = await openModules(opened, config, databaseUrl, deps)
  const { lanes } = exposed
  for (const { follows, hears } of modules) {
    if (follows) lanes.follow(follows)
    if (hears) opened.announcements.onSession(hears)
  }
  const app = buildApp(
    kit,
    {
      ...judging,
      trustProxy: config.trustProxy,
      tracing: opened.tracing,
      isLeaving: () => state.leaving !== null,
    },
    modules,
  )
  const jobs = new Jobs(modules.flatMap(module => module.jobs ?? []))
  const hurrying = new AbortController()
  let hasJobs = false
  const takeJobs = () => {
    if (hasJobs || state.leaving !== null) return
    hasJobs = true
    jobs.start('machine')
  }
  opened.startBus()
  jobs.start('node')
  if (!deps.worker) takeJobs()

  let listening: Promise<unknown> = Promise.resolve()
  return {
    app,
    ...exposed,
    database: kit.database,
    metrics: kit.metrics,
    takeJobs,
    async listen() {
      try {
        // At the minute a sale opens, more than Node's 511 knock before one of them is let in.
        const began = app.fastify.listen({ host: config.host, port: config.port, backlog: 4_096 })
        listening = began.catch(() => {})
        await began
      } catch (error) {
        throw listenError(error, config)
      }
      const { port } = app.fastify.server.address() as AddressInfo
      state.address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
      return state.address
    },
    hurry: () => hurrying.abort(),
    async drain(why = 'stopping', seconds = 0) {
      state.leaving = why
      const isServing = state.address !== null
      if (isServing) await delay(seconds * 1_000, null, { signal: hurrying.signal }).catch(() => {})
      // Readers of the feed would never end by themselves; they come back to another node, which the balancer
      // has chosen for them by now.
      for (const module of modules) module.leave?.()
      // A worker whose server is closed before the keeper has answered would end with an error of Node's.
      await listening
      if (why === 'replaced' || (isServing && seconds > 0)) {
        await takeLastRequests(app.fastify.server, hurrying.signal)
      }
      await endRequests(app.fastify, log, hurrying.signal)
      opened.databaseClock.stop()
      await jobs.stopBeforeLanes()
      for (const module of modules.toReversed()) await module.flush?.()
      lanes.close()
      await opened.closeBus()
      await Promise.all([jobs.stop(), ...modules.map(module => module.close?.()), opened.close()])
      await lanes.quiet()
      await kit.database.close()
    },
  }
}

function listenError(error: unknown, config: Config): unknown {
  const { code } = error as { code?: string }
  if (code === 'EADDRINUSE') {
    return new StartupError(`PORT ${config.port} on ${config.host} is taken: stop what uses it, or set PORT`)
  }
  if (code === 'EACCES') return new StartupError(`PORT ${config.port} may not be used: choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError(`HOST ${config.host} is no address of this machine`)
  }
  return error
}
