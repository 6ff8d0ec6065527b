import { startEmbeddedPostgres, startFromPackage } from './launch.ts'

/** A process of its own for tests: it starts Postgres, says how that went, and then does what it was told. */
const { options, source, copyPlaces, after } = JSON.parse(process.argv[2]!)
process.on('SIGINT', () => {})
try {
  const start = source ? startFromPackage : startEmbeddedPostgres
  const postgres = await start(options, source, copyPlaces)
  console.log(JSON.stringify({ url: postgres.url, pid: postgres.pid }))
  if (after === 'wait') setInterval(() => {}, 1000)
  if (after === 'exit') process.exit(0)
  if (after === 'stop') await postgres.stop()
} catch (error) {
  const { name, message } = error as Error
  console.log(JSON.stringify({ error: `${name}: ${message}` }))
}
