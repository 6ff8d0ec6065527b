import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'
import { ROOT } from '../../nemesis/lab-process.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** Where the page is, seen from the server that it talks to. */
const PATH = '/bench-map/'

/** The page of web/bench, built into a folder. Returns how large its script is when compressed. */
export async function buildPage(folder: string): Promise<number> {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--config', 'web/bench/vite.config.ts', '--outDir', folder, '--logLevel', 'error'],
    { cwd: ROOT },
  )
  const scripts = (await readdir(join(folder, 'assets'))).filter(name => extname(name) === '.js')
  const sizes = await Promise.all(
    scripts.map(async name => brotliCompressSync(await readFile(join(folder, 'assets', name))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The page that the server has for buyers, unless it is built already. */
export async function buildBuyersPage(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build/page.mjs', '--if-needed'], { cwd: ROOT })
}

/** The built page as if the server had it: so it may talk to the server. Returns its address. */
export async function offerPage(context: BrowserContext, folder: string, url: string): Promise<string> {
  await context.route(`${url}${PATH}**`, async route => {
    const name = new URL(route.request().url()).pathname.slice(PATH.length) || 'index.html'
    const contentType = TYPES[extname(name)] ?? 'application/octet-stream'
    await route.fulfill({ body: await readFile(join(folder, name)), contentType })
  })
  return `${url}${PATH}`
}
