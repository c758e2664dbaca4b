import { strToU8, type Zippable, zipSync } from "fflate"
import { constants, deflateRawSync } from "node:zlib"

/** An archive of these parts, packed as office programs do it. */
export const archive = (parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array => {
  const files: Zippable = {}
  for (const [name, content] of Object.entries(parts)) {
    files[name] = typeof content === "string" ? strToU8(content) : content
  }
  return zipSync(files)
}

/** The usual prefixes of Word and PowerPoint, as the attributes of a root. */
export const namespaces = Object.entries({
  w: "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  w14: "http://schemas.microsoft.com/office/word/2010/wordml",
  wp: "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
  wps: "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
  p: "http://schemas.openxmlformats.org/presentationml/2006/main",
  a: "http://schemas.openxmlformats.org/drawingml/2006/main",
  pic: "http://schemas.openxmlformats.org/drawingml/2006/picture",
  c: "http://schemas.openxmlformats.org/drawingml/2006/chart",
  dgm: "http://schemas.openxmlformats.org/drawingml/2006/diagram",
  m: "http://schemas.openxmlformats.org/officeDocument/2006/math",
  mc: "http://schemas.openxmlformats.org/markup-compatibility/2006",
  r: "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  v: "urn:schemas-microsoft-com:vml",
  o: "urn:schemas-microsoft-com:office:office"
}).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`).join(" ")

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

export const rels = (targets: ReadonlyArray<readonly [id: string, type: string, target: string]>): string =>
  `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${
    targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`).join(
      ""
    )
  }</Relationships>`

const contentTypes = (main: string, type: string): string =>
  `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`
  + `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`
  + `<Default Extension="xml" ContentType="application/xml"/>`
  + `<Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}"/></Types>`

/** The parts of a Word document with this body. */
export const wordParts = (body: string, before = ""): Record<string, string> => ({
  "[Content_Types].xml": contentTypes("word/document.xml", "wordprocessingml.document.main+xml"),
  "_rels/.rels": rels([["rId1", "officeDocument", "word/document.xml"]]),
  "word/document.xml": `${declaration}${before}<w:document ${namespaces}><w:body>${body}</w:body></w:document>`
})

export const wordParagraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

const drawing = (body: string, root: string): string => `${declaration}<p:${root} ${namespaces}>${body}</p:${root}>`

export const slideParagraph = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`

/**
 * The parts of a presentation. Slides are stored under the numbers `stored`, so that the order in which they are shown
 * differs from that of their names.
 */
export const slideParts = (
  slides: ReadonlyArray<{ readonly stored: number; readonly body: string; readonly notes?: string }>
): Record<string, string> => {
  const parts: Record<string, string> = {
    "[Content_Types].xml": contentTypes("ppt/presentation.xml", "presentationml.presentation.main+xml"),
    "_rels/.rels": rels([["rId1", "officeDocument", "ppt/presentation.xml"]]),
    "ppt/presentation.xml": drawing(
      `<p:sldIdLst>${
        slides.map(({ stored }, index) => `<p:sldId id="${256 + index}" r:id="rId${stored}"/>`).join("")
      }</p:sldIdLst>`,
      "presentation"
    ),
    "ppt/_rels/presentation.xml.rels": rels(
      slides.map(({ stored }) => [`rId${stored}`, "slide", `slides/slide${stored}.xml`])
    )
  }
  for (const { body, notes, stored } of slides) {
    parts[`ppt/slides/slide${stored}.xml`] = drawing(body, "sld")
    if (notes === undefined) continue
    parts[`ppt/slides/_rels/slide${stored}.xml.rels`] = rels([
      ["rId1", "notesSlide", `../notesSlides/notesSlide${stored}.xml`]
    ])
    parts[`ppt/notesSlides/notesSlide${stored}.xml`] = drawing(slideParagraph(notes), "notes")
  }
  return parts
}

const sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

/** The parts of a workbook; each sheet is given by the XML of its rows. Style 1 is that of a date. */
export const sheetParts = (sheets: Readonly<Record<string, string>>): Record<string, string> => {
  const names = Object.keys(sheets)
  const parts: Record<string, string> = {
    "[Content_Types].xml": contentTypes("xl/workbook.xml", "spreadsheetml.sheet.main+xml"),
    "_rels/.rels": rels([["rId1", "officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `${declaration}<workbook xmlns="${sheet}" xmlns:r="${office}"><sheets>${
      names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join("")
    }</sheets></workbook>`,
    "xl/styles.xml": `${declaration}<styleSheet xmlns="${sheet}"><cellXfs count="2"><xf numFmtId="0"/>`
      + `<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    "xl/_rels/workbook.xml.rels": rels([
      ...names.map((_, index) => [`rId${index + 1}`, "worksheet", `worksheets/sheet${index + 1}.xml`] as const),
      ["rId100", "styles", "styles.xml"]
    ])
  }
  names.forEach((name, index) => {
    parts[`xl/worksheets/sheet${index + 1}.xml`] = `${declaration}<worksheet xmlns="${sheet}"><sheetData>${
      sheets[name]
    }</sheetData></worksheet>`
  })
  return parts
}

/** A PDF with one line of text on each page. */
export const pdfOf = (pages: ReadonlyArray<string>): Uint8Array =>
  pdfWith(pages.map((text) => (text === "" ? "" : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)))

/** A PDF whose font claims the widths of two billion characters. */
export const wideFontPdf = (): Uint8Array => {
  const descriptor = "<< /Type /FontDescriptor /FontName /Arial /Flags 4 /FontBBox [0 0 1 1] /ItalicAngle 0 /Ascent 1 "
    + "/Descent 0 /CapHeight 1 /StemV 1 >>"
  return pdfWith(
    ["BT /F1 12 Tf 72 720 Td (Hi) Tj ET"],
    "",
    "/Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 "
      + "/BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
      + `/W [0 2000000000 500] /FontDescriptor ${descriptor} >>]`
  )
}

/** A Word document with a table whose one cell claims to span two billion columns. */
export const wideCellWord = (): Uint8Array =>
  archive(wordParts(
    `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>${wordParagraph("wide")}</w:tc></w:tr></w:tbl>`
  ))

/** A workbook with one value, at this place. */
export const oneCellSheet = (place: string): Uint8Array =>
  archive(sheetParts({
    A: `<row r="${/\d+$/.exec(place)?.[0]}"><c r="${place}" t="inlineStr"><is><t>x</t></is></c></row>`
  }))

/** A PDF with a page that inflates to so many megabytes, from about a kilobyte for each. */
export const inflatingPdf = (megabytes: number): Uint8Array => {
  const megabyte = deflateRawSync(Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH })
  const packed = [Buffer.of(0x78, 0x9c), ...Array.from({ length: megabytes }, () => megabyte), Buffer.of(3, 0)]
  return pdfWith([Buffer.concat(packed).toString("latin1")], "/Filter /FlateDecode")
}

const pdfWith = (
  pages: ReadonlyArray<string>,
  how = "",
  font = "/Subtype /Type1 /BaseFont /Helvetica"
): Uint8Array => {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ")}] >>`,
    `<< /Type /Font ${font} >>`,
    ...pages.flatMap((content, index) => [
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
      + `/Contents ${5 + index * 2} 0 R >>`,
      `<< /Length ${content.length} ${how} >>\nstream\n${content}\nendstream`
    ])
  ]
  return pdfFile(objects)
}

/** A PDF of two pages, the second without text, with annotations on the first: fields of a form and a comment. */
export const formPdf = (): Uint8Array => {
  const content = "BT /F1 12 Tf 72 720 Td (Name:) Tj ET"
  const widget = "/Type /Annot /Subtype /Widget /Rect [0 0 9 9] /P 4 0 R"
  return pdfFile([
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R 8 0 R 9 0 R] >> >>",
    "<< /Type /Pages /Count 2 /Kids [4 0 R 6 0 R] >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R "
    + "/Annots [7 0 R 8 0 R 9 0 R 10 0 R] >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
    `<< ${widget} /FT /Tx /T (name) /V (Ann Lee) >>`,
    `<< ${widget} /FT /Tx /T (empty) >>`,
    `<< ${widget} /FT /Btn /T (agreed) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R >> >> >>`,
    "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (Please check) >>"
  ])
}

/** A PDF of a few lines with 2^depth pages: each node of its page tree lists the next one twice. */
export const doublingPdf = (depth: number): Uint8Array =>
  pdfFile([
    "<< /Type /Catalog /Pages 2 0 R >>",
    ...Array.from({ length: depth }, (_, level) =>
      `<< /Type /Pages /Parent ${level + 1} 0 R /Count ${2 ** (depth - level)} /Kids [${
        `${level + 3} 0 R `.repeat(2)
      }] >>`),
    `<< /Type /Page /Parent ${depth + 1} 0 R /MediaBox [0 0 612 792] >>`
  ])

const pdfFile = (objects: ReadonlyArray<string>): Uint8Array => {
  let file = "%PDF-1.4\n"
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  return strToU8(
    `${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
      + `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    true
  )
}
