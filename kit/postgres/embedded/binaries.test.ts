import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartupError } from '../../base/startup-error.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import type { BinaryPackage } from './binary-package.ts'
import { copyBinaries } from './copy-binaries.ts'
import { scratchDirectory } from './embedded.fixture.ts'
import { linkLibraries } from './link-libraries.ts'

describe('the package', () => {
  it('is the one for this machine', async () => {
    const source = await findPackage({ platform: process.platform, arch: process.arch })
    expect(source.major).toBe('18')
    expect(await readdir(path.join(source.dir, 'native', 'bin'))).toEqual(
      expect.arrayContaining(['initdb', 'postgres']),
    )
  })

  it('that does not exist for a machine makes us ask for DATABASE_URL', async () => {
    const missing = findPackage({ platform: 'sunos', arch: 'sparc' })
    await expect(missing).rejects.toThrow(StartupError)
    await expect(missing).rejects.toThrow('There is no embedded Postgres for sunos-sparc')
    await expect(missing).rejects.toThrow('set DATABASE_URL')
  })

  it('that can’t be run, nor any copy of it, makes us ask for DATABASE_URL', async () => {
    const scratch = await scratchDirectory()
    const source = await makePackage(path.join(scratch, 'package'))
    const place = path.join(scratch, 'place')
    await mkdir(place)
    await writeFile(path.join(source.dir, 'native/bin/postgres'), '#!/bin/sh\necho no such luck\nexit 1\n')
    await expect(prepareBinaries(source, undefined, [place])).rejects.toThrow(
      /can't be run as this user from .*package, .*place \(no such luck\): set DATABASE_URL/,
    )
    await writeFile(path.join(source.dir, 'native/bin/postgres'), '#!/no/such/loader\n')
    await expect(prepareBinaries(source, undefined, [place])).rejects.toThrow('needs glibc')
  })
})

describe('the links of the package', () => {
  it('are made by any number at once, and a broken one is mended', async () => {
    const { dir } = await makePackage(path.join(await scratchDirectory(), 'package'))
    const lib = path.join(dir, 'native', 'lib')
    await symlink('gone.so', path.join(lib, 'libx.so.1'))

    expect(await Promise.all(Array.from({ length: 20 }, () => linkLibraries(dir)))).not.toContain(false)
    expect(await linkLibraries(dir)).toBe(true)
    expect((await readdir(lib)).sort()).toEqual(['libx.so', 'libx.so.1', 'libx.so.1.2'])
    expect(await readlink(path.join(lib, 'libx.so'))).toBe('libx.so.1.2')
    expect(await readFile(path.join(lib, 'libx.so.1'), 'utf8')).toBe('library')
  })
})

describe('a copy of the binaries', () => {
  it('is made once by any number at once, which every user may read and no user may change', async () => {
    const { source, place } = await packageAndPlace()
    const copies = await Promise.all(Array.from({ length: 5 }, () => copyBinaries(source, place)))

    expect(new Set(copies).size).toBe(1)
    expect(await readdir(place)).toEqual([path.basename(copies[0]!)])
    const modes = async (file: string) => (await lstat(path.join(copies[0]!, file))).mode & 0o777
    expect(await modes('.')).toBe(0o755)
    expect(await modes('native/share/deep')).toBe(0o755)
    expect(await modes('native/share/deep/file')).toBe(0o644)
    expect(await modes('native/bin/postgres')).toBe(0o755)
    expect(await readlink(path.join(copies[0]!, 'native/lib/libx.so'))).toBe('libx.so.1.2')

    const before = await lstat(copies[0]!)
    await copyBinaries(source, place)
    expect((await lstat(copies[0]!)).ino).toBe(before.ino)
  })

  it('from which a cleaner took something is made again', async () => {
    const { source, place } = await packageAndPlace()
    const copy = await copyBinaries(source, place)
    await rm(path.join(copy!, 'native/share/deep/file'))
    expect(await copyBinaries(source, place)).toBe(copy)
    expect(await readFile(path.join(copy!, 'native/share/deep/file'), 'utf8')).toBe('deep')
    expect(await readdir(place)).toHaveLength(1)
  })

  it('that others can write to is not used', async () => {
    const { source, place } = await packageAndPlace()
    const copy = await copyBinaries(source, place)
    await chmod(copy!, 0o777)
    await expect(copyBinaries(source, place)).rejects.toThrow(`${copy} should be our copy of Postgres`)
  })

  it('that is a link to somewhere else is not used', async () => {
    const { source, place } = await packageAndPlace()
    const copy = await copyBinaries(source, place)
    await cp(copy!, path.join(place, 'elsewhere'), { recursive: true })
    await rm(copy!, { recursive: true })
    await symlink('elsewhere', copy!)
    await expect(copyBinaries(source, place)).rejects.toThrow(StartupError)
  })

  it('is not put where others could exchange it, nor where there is no place', async () => {
    const { source, place } = await packageAndPlace()
    await chmod(place, 0o777)
    expect(await copyBinaries(source, place)).toBeUndefined()
    expect(await copyBinaries(source, path.join(place, 'missing'))).toBeUndefined()
    await chmod(place, 0o1777)
    expect(await copyBinaries(source, place)).toBeDefined()
  })

  it('that was never finished is removed by the next', async () => {
    const { source, place } = await packageAndPlace()
    const copy = await copyBinaries(source, place)
    await rm(copy!, { recursive: true })
    await mkdir(`${copy}.new-999999999-abc`)
    await copyBinaries(source, place)
    expect(await readdir(place)).toEqual([path.basename(copy!)])
  })
})

async function packageAndPlace(): Promise<{ source: BinaryPackage; place: string }> {
  const scratch = await scratchDirectory()
  const source = await makePackage(path.join(scratch, 'package'))
  const place = path.join(scratch, 'place')
  await mkdir(place)
  await chmod(place, 0o755)
  return { source, place }
}

/** As npm unpacks one, with a closed umask and without its install script. */
async function makePackage(dir: string): Promise<BinaryPackage> {
  for (const folder of ['bin', 'lib', 'share/deep']) {
    await mkdir(path.join(dir, 'native', folder), { recursive: true, mode: 0o700 })
  }
  const links = ['libx.so', 'libx.so.1'].map(name => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }))
  await writeFile(path.join(dir, 'native/pg-symlinks.json'), JSON.stringify(links))
  await writeFile(path.join(dir, 'native/lib/libx.so.1.2'), 'library', { mode: 0o600 })
  await writeFile(path.join(dir, 'native/share/deep/file'), 'deep', { mode: 0o600 })
  await writeFile(path.join(dir, 'native/bin/postgres'), '', { mode: 0o700 })
  return { dir, version: '18.0.0-test', major: '18' }
}
