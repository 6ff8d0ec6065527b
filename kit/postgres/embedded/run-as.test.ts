import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartupError } from '../../base/startup-error.ts'
import { isRoot, scratchDirectory } from './embedded.fixture.ts'
import { canReach, chooseUser, pathFor } from './run-as.ts'

const stranger = { uid: 54_321, gid: 54_321, name: 'stranger' }

describe('the user whom Postgres runs as', () => {
  it('is ourselves, or when we are root, another user', async () => {
    const user = await chooseUser(undefined)
    if (!isRoot) return expect(user).toBeUndefined()
    expect(['postgres', 'nobody']).toContain(user?.name)
    expect(user?.uid).toBeGreaterThan(0)
  })

  it.runIf(isRoot)('is `postgres`, else `nobody`, else there is none', async () => {
    const passwd = path.join(await scratchDirectory(), 'passwd')
    const withoutPostgres = 'root:x:0:0::/root:/bin/sh\nnobody:*:-2:-2::/:/bin/false\n'
    await writeFile(passwd, `${withoutPostgres}postgres:x:101:104::/var/lib/postgresql:/bin/bash\n`)
    expect(await chooseUser(undefined, passwd)).toEqual({ name: 'postgres', uid: 101, gid: 104 })
    await writeFile(passwd, withoutPostgres)
    expect(await chooseUser(undefined, passwd)).toEqual({
      name: 'nobody',
      uid: 2 ** 32 - 2,
      gid: 2 ** 32 - 2,
    })
    await rm(passwd)
    await expect(chooseUser(undefined, passwd)).rejects.toThrow(StartupError)
  })

  it.runIf(isRoot)('can’t be root, to whom the data may have come by a careless copy', async () => {
    const cluster = await scratchDirectory()
    await expect(chooseUser(cluster)).rejects.toThrow(StartupError)
    await expect(chooseUser(cluster)).rejects.toThrow('chown -R')
  })
})

describe('the path by which that user gets at a directory', () => {
  it('is the path itself where the way is open, and the working directory where it is not', async () => {
    const closed = path.join(await scratchDirectory(), 'closed')
    const dir = path.join(closed, 'dir')
    await mkdir(dir, { recursive: true })
    await chmod(dir, 0o755)
    await chmod(closed, 0o711)
    expect(await canReach(stranger, dir)).toBe(true)
    expect(await pathFor(stranger, dir)).toBe(dir)
    await chmod(closed, 0o700)
    expect(await canReach(stranger, dir)).toBe(false)
    expect(await pathFor(undefined, dir)).toBe(dir)
    if (process.platform === 'linux') expect(await pathFor(stranger, dir)).toBe('/proc/self/cwd')
    else await expect(pathFor(stranger, dir)).rejects.toThrow(StartupError)
  })
})
