/**
 * Builds the buyers' page into web/dist, with brotli and gzip beside each file, and beside it the component
 * for pages of other sites, which also goes into the package in embed/.
 *
 *   node scripts/build/page.mjs               always
 *   node scripts/build/page.mjs --if-needed   only when its sources have changed. When it fails it says so,
 *                                             and the server starts without the page
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { hashSources, ROOT } from './sources.mjs'

const DIST = join(ROOT, 'web/dist')
const EMBED = 'voelgoed-seats.js'
const STAMP = join(DIST, 'sources.sha256')
const SOURCES = ['web', 'client', 'contract', 'core', 'package-lock.json', 'scripts/build']
const NOT_SOURCES = /^(dist.*|test|bench|node_modules|\.svelte-check|.*\.test\.ts)$/

async function build() {
  // A test may have started us. The build is the same then.
  process.env.NODE_ENV = 'production'
  const { build: viteBuild } = await import('vite')
  const stamp = hashSources(SOURCES, NOT_SOURCES)
  // Beside the old one, and swapped in when it is whole:
  // a server that starts meanwhile finds one or the other.
  const fresh = `${DIST}-${process.pid}`
  const old = `${DIST}-${process.pid}-old`
  try {
    await viteBuild({
      configFile: join(ROOT, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    })
    await viteBuild({
      configFile: join(ROOT, 'web/vite.embed.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh },
    })
    await compressAll(fresh)
    writeFileSync(join(fresh, 'sources.sha256'), stamp)
    mkdirSync(join(ROOT, 'embed/dist'), { recursive: true })
    copyFileSync(join(fresh, EMBED), join(ROOT, 'embed/dist', EMBED))
    swapIn(fresh, old)
  } finally {
    rmSync(old, { recursive: true, force: true })
    rmSync(fresh, { recursive: true, force: true })
  }
}

/**
 * Two processes may build at once, and both builds are right:
 * the second moves the first one's aside and tries again.
 */
function swapIn(fresh, old) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(DIST, old)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    try {
      return renameSync(fresh, DIST)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code) || attempt === 5) throw error
    }
    rmSync(old, { recursive: true, force: true })
  }
}

async function compressAll(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  await Promise.all(
    names
      .filter(name => /\.(html|js|css|svg|wasm|webmanifest)$/.test(name))
      .map(async name => {
        const path = join(folder, name)
        const bytes = readFileSync(path)
        if (bytes.length < 1_000) return
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        }
        writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
        writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

const onlyIfNeeded = process.argv.includes('--if-needed')
try {
  const isFresh =
    onlyIfNeeded && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources(SOURCES, NOT_SOURCES)
  if (!isFresh) {
    console.log('Building the buyers’ page …')
    await build()
  }
} catch (error) {
  console.error(
    `The buyers' page could not be built: ${error.code === 'ERR_MODULE_NOT_FOUND' ? 'install with its development dependencies (npm ci), or bring web/dist along' : error.message}`,
  )
  if (!onlyIfNeeded) process.exitCode = 1
}
