import type { Format } from '../../kit/words/format.ts'
import type { BrandWords } from './brand-en.ts'

export function brandAf(format: Format): BrandWords {
  return {
    brand: {
      title: 'Handelsmerk',
      about:
        'Wat kopers op jou bladsye sien. Daarsonder sien hulle ons kleur, en prente wat uit name geteken word.',
      colour: 'Kleur',
      pick: 'Kies ’n kleur',
      colourHint: 'Van knoppies en skakels, soos #7b3fa0. Leeg: ons s’n.',
      badColour: 'Skryf ’n # en ses syfers of letters van a tot f, soos #7b3fa0.',
      useColour: 'Gebruik hierdie kleur',
      useOurs: 'Gebruik ons s’n',
      saved: 'Kopers sien die nuwe kleur vanaf die volgende bladsy wat hulle oopmaak.',
      preview: 'Hoe jou bladsye lyk',
      light: 'Lig',
      dark: 'Donker',
      sampleTitle: '’n Aand van sang',
      sampleLink: 'Alle geleenthede',
      sampleButton: 'Kies sitplekke',
      sampleNote: 'Vanaf R 150',
      onButton: 'Teks op knoppies',
      onPaper: 'Skakels',
      ratio: contrast => `${format.number(Math.floor(contrast * 10) / 10)} : 1`,
      given:
        'Jou kleur word effens ligter of donkerder gemaak waar teks nie gelees kon word nie (minder as 4.5 : 1).',
      asChosen: 'Alle teks daarop kan gelees word (ten minste 4.5 : 1).',
      logo: 'Logo',
      logoHint: 'Bo-aan elke bladsy, 32 beeldpunte hoog. ’n Deursigtige PNG of WebP is die beste.',
      noLogo: 'Geen logo nie: bladsye wys die naam',
      cover: 'Omslag van die winkelblad',
      coverHint:
        'Agter die naam van die organisasie. Die beste is 1600 × 1000 beeldpunte; die rande kan afgesny word.',
    },
    picture: {
      choose: 'Kies ’n lêer',
      file: 'Lêer',
      replace: 'Kies ’n ander een',
      remove: 'Verwyder',
      drop: 'Los ’n prent hier',
      limits: 'JPEG, PNG, WebP of AVIF, hoogstens 10 MB.',
      drawn: 'Uit die naam geteken',
      busy: 'Die prent is op pad …',
      set: 'Die prent is gestoor.',
      removed: 'Die prent is verwyder.',
      tooLarge: 'Hierdie lêer is groter as 10 MB. Maak die prent kleiner en probeer weer.',
      notImage: 'Dit is nie ’n prent wat blaaiers wys nie. Gebruik ’n JPEG-, PNG-, WebP- of AVIF-lêer.',
      afterCreate: why => `Die konsep is geskep, maar sy prent is nie gestoor nie: ${why}`,
      event: 'Prent',
      eventHint:
        'Op die winkelblad, op die geleentheid se bladsy, en waar mense sy skakel deel. Die beste is 1600 × 1000 beeldpunte.',
    },
  }
}
