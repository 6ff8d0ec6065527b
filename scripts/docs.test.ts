import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { generatedPages } from './write-docs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
const pages = tracked.filter(path => path.endsWith('.md') && existsSync(join(ROOT, path)))

it('links of all pages lead to files and headings that exist', () => {
  expect(pages.length).toBeGreaterThan(20)
  const broken = pages.flatMap(page =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, address]) => address!)
      .filter(address => !/^\w+:/.test(address) && !leadsSomewhere(page, address))
      .map(address => `${page}: ${address}`),
  )
  expect(broken).toEqual([])
})

it('files that name a page of docs/ name one that exists', () => {
  const broken = tracked
    .filter(path => /\.(ts|svelte|mjs|sql|lua|json|yml)$/.test(path) && existsSync(join(ROOT, path)))
    .flatMap(path =>
      [...read(path).matchAll(/(?<![\w/-])docs\/[\w/-]+\.(?:md|yml|json)\b/g)]
        .filter(([name]) => !existsSync(join(ROOT, name)))
        .map(([name]) => `${path}: ${name}`),
    )
  expect(broken).toEqual([])
})

it('pages that follow from other files are up to date: npm run fix writes them', () => {
  for (const [path, text] of Object.entries(generatedPages())) expect(read(path), path).toBe(text)
})

it('figures of docs/evidence.md have names that the bench or a fault run fills in', () => {
  const source = tracked
    .filter(path => /^lab\/.*\.ts$/.test(path) && existsSync(join(ROOT, path)))
    .map(read)
    .join('\n')
  const names = [...read('docs/evidence.md').matchAll(/<!-- bench:([\w.]+) -->/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(20)
  const unknown = names.filter(name => {
    const [, verb] = /^(\w+)\.(?:table|run)$/.exec(name) ?? []
    const isOfVerb = verb === 'all' || new RegExp(`^ +${verb}: \\[$|\\b${verb}: \\['`, 'm').test(source)
    return !source.includes(`'${name}'`) && !isOfVerb
  })
  expect(unknown).toEqual([])
})

function leadsSomewhere(page: string, address: string): boolean {
  const [path = '', anchor] = address.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(ROOT, target))) return false
  return anchor === undefined || headingsOf(target).includes(anchor)
}

/** As GitHub makes them of the text of a heading. */
function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{N}_\s-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}
