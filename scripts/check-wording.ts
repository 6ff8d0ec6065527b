/**
 * Keeps comments and texts readable for someone who reads English as a second language: no archaic words, no
 * sentence without a named actor, no comment that is wider than the code. `npm run check:style` runs it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

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
const ACCOUNT_NAMED_NOBODY = /^(server\/src\/embedded-postgres\/|docs\/operating\.md$)/

/** Texts that must stay as they are: what others wrote, what is generated, and migrations that were released. */
const LEFT_ALONE =
  /^(LICENSE|package-lock\.json|server\/src\/postgres\/schema\.sql|server\/src\/postgres\/migrations\/000[1-8]_.*|scripts\/check-wording(\.test)?\.ts)$|\.(jpg|png|svg)$/

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
  const root = fileURLToPath(new URL('..', import.meta.url))
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  const faults = [...new Set(paths.split('\0'))]
    .filter(path => path !== '' && !LEFT_ALONE.test(path))
    .flatMap(path => wordingFaults(path, readFileSync(new URL(path, pathToFileURL(root)), 'utf8')))
  for (const { path, line, fault } of faults) console.error(`${path}:${line} ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) checkRepository()
