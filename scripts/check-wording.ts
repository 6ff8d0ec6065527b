/**
 * Keeps comments and texts readable for someone who reads English as a second language: no archaic words, no
 * sentence without a named actor, no comment that is wider than the code. `npm run check:style` runs it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './build/sources.mjs'
import { clockFaults, staleExceptions } from './test-clocks.ts'

export interface WordingFault {
  path: string
  /** From 1. */
  line: number
  fault: string
}

const WIDEST_COMMENT = 110

/** Who is meant? Name the caller, the node, the buyer, the organizer. */
const UNNAMED =
  /(?<![\w@-])(whoever|whomever|whosoever|nobody|somebody|anybody|no one|no-one)(?:[’']s)?(?![\w@-])/i
const ARCHAIC =
  /\b(anew|nought|naught|for ever|in earnest|thereof|therein|hitherto|lest|whence|farewell|mourn(?:ed|s)?|wherewith|betimes|henceforth|heretofore)\b/i

const COMMENT = /^\s*(?:\/\/|\/\*|\*|--|#|<!--)/
const DOCUMENT = /\.md$/

/** The operating system's user of that name. */
const ACCOUNT_NAMED_NOBODY = /^(kit\/postgres\/embedded\/|docs\/operate\/operating\.md$)/

/** Texts that must stay as they are: what others wrote, and what is generated. */
const LEFT_ALONE = /^(LICENSE|package-lock\.json|scripts\/check-wording(\.test)?\.ts)$|\.(jpg|png|svg)$/

/** A comment has a subject and a verb, or says why: it is no answer to a question that nothing asks. */
const FRAGMENT = /^(?:What|Of|Whether|Where|Who|Whose|Whom|Which|How|Why)\b/
/** "Where there is no disk, nothing is written" is a sentence. */
const CLAUSE = /^Where [^.]*,/
const CODE = /\.(?:ts|mts|svelte|mjs|cjs|sql|lua)$/

/** The lines, from 1, of comments that begin with a noun fragment. */
export function fragments(path: string, text: string): number[] {
  if (!CODE.test(path)) return []
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? ''
    const [, marks, words = ''] = /(?:^|\s)(\/\*\*?|\*(?!\/)|\/\/|--) (.*)$/.exec(line) ?? []
    if (marks === undefined) return []
    const isFirst = marks.startsWith('/*')
      ? true
      : marks === '*'
        ? /^\s*\/\*\*?$/.test(before) && /^\s*\*/.test(line)
        : !new RegExp(`^\\s*${marks}`).test(before) && new RegExp(`^\\s*${marks}`).test(line)
    if (!isFirst || !FRAGMENT.test(words)) return []
    const comment = `${words} ${lines.slice(index + 1, index + 4).join(' ')}`
    const [sentence = ''] = /^[\s\S]*?[.?!](?=\s|$)/.exec(comment.replace(/\s+(?:\*|\/\/|--) /g, ' ')) ?? [
      comment,
    ]
    return CLAUSE.test(sentence) || sentence.endsWith('?') ? [] : [index + 1]
  })
}

export function wordingFaults(path: string, text: string): WordingFault[] {
  const faults: WordingFault[] = []
  text.split('\n').forEach((content, index) => {
    const report = (fault: string) => faults.push({ path, line: index + 1, fault })
    const prose = ACCOUNT_NAMED_NOBODY.test(path)
      ? content.replace(/(['"`])nobody\1|\bnobody:|-R nobody\b/g, '')
      : content
    const unnamed = UNNAMED.exec(prose)
    if (unnamed) report(`"${unnamed[1]}" does not say who: name the actor`)
    const archaic = ARCHAIC.exec(prose)
    if (archaic) report(`"${archaic[1]}" is not plain English`)
    const columns = [...content].length
    if (columns > WIDEST_COMMENT && COMMENT.test(content) && !DOCUMENT.test(path)) {
      report(`a comment of ${columns} columns: wrap it at ${WIDEST_COMMENT}`)
    }
  })
  return faults
}

function checkRepository(): void {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const faults: WordingFault[] = []
  const all = new Set(paths.split('\0'))
  for (const path of all) {
    if (path === '' || LEFT_ALONE.test(path)) continue
    const text = readFileSync(join(ROOT, path), 'utf8')
    faults.push(...wordingFaults(path, text))
    if (path !== 'scripts/test-clocks.test.ts') {
      faults.push(...clockFaults(path, text).map(found => ({ path, ...found })))
    }
    for (const line of fragments(path, text)) {
      faults.push({ path, line, fault: 'a comment begins with a noun fragment: name a subject and a verb' })
    }
  }
  for (const path of staleExceptions(all)) {
    faults.push({ path, line: 0, fault: 'scripts/test-clocks.ts has an exception for a file that is gone' })
  }
  for (const { path, line, fault } of faults) console.error(`${path}:${line} ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) checkRepository()
