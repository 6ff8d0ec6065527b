/**
 * The Chromium for browser tests, benchmarks and screenshots:
 * the one on the PATH, else Debian's, installed now.
 *
 *   import { findChromium } from './find-chromium.mjs'
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

export const CHROMIUM_OPTIONS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
]

/** @returns {string} */
export function findChromium() {
  return onPath() ?? install()
}

/** @returns {string | undefined} */
function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders
    .flatMap(folder => NAMES.map(name => join(folder, name)))
    .find(path => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** @returns {string} */
function install() {
  const run = arguments_ =>
    spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...arguments_], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      encoding: 'utf8',
      timeout: 300_000,
    })
  if (process.getuid?.() === 0) {
    const wanted = ['install', '--yes', '--no-install-recommends', 'chromium']
    // The lists may be missing or old: only then they are fetched.
    if (run(wanted).status !== 0 && run(['update']).status === 0) run(wanted)
  }
  const found = onPath()
  if (!found) throw new Error('The browser tests need Chromium: apt-get install chromium')
  return found
}
