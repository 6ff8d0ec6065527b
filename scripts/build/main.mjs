/**
 * Builds what a deployment needs: the server's programs into dist/server, the pages into web/dist.
 *
 *   node scripts/build/main.mjs               always (npm run build)
 *   node scripts/build/main.mjs --if-needed   only what has other sources than before; before npm start
 */
import { build, buildIfNeeded } from './programs.mjs'

try {
  await (process.argv.includes('--if-needed') ? buildIfNeeded : build)('server')
} catch (error) {
  const isBare = error.code === 'ERR_MODULE_NOT_FOUND'
  const hint = isBare
    ? 'dist/server is not there or comes from other sources: run npm ci and npm run build'
    : error.message
  console.error(`The server could not be built: ${hint}`)
  process.exit(1)
}
await import('./page.mjs')
