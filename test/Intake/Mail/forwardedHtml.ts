import { eve, mail } from "./forwards.ts"

const html = (body: string) => mail(["Content-Type: text/html; charset=utf-8"], `<html><body>${body}</body></html>`)

const evesHead =
  "<b>From:</b> Eve Outsider &lt;eve@example.net&gt;<br><b>Sent:</b> Monday, November 2, 2026 9:31 AM<br>"
  + "<b>To:</b> Ada &lt;ada@example.net&gt;<br><b>Subject:</b> Offer"

/** Mails of HTML alone, and mails that enclose another. */
export const otherMails: Readonly<Record<string, (words: string, foreign: string) => Uint8Array>> = {
  "Gmail in HTML": (words, foreign) =>
    html(
      `<div dir="ltr">${words}<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded `
        + "message ---------<br>From: <strong class=\"gmail_sendername\">Eve</strong> <span dir=\"auto\">&lt;"
        + "<a href=\"mailto:eve@example.net\">eve@example.net</a>&gt;</span><br>Date: Mon, Nov 2, 2026 at 9:31 AM<br>"
        + `Subject: Offer<br>To: Ada &lt;ada@example.net&gt;<br></div><br><br><div>${foreign}</div></div></div>`
    ),
  "Outlook in HTML": (words, foreign) =>
    html(
      `<div class=WordSection1><p class=MsoNormal>${words}<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div>`
        + "<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal>"
        + `${evesHead}<o:p></o:p></p></div></div><p class=MsoNormal>${foreign}<o:p></o:p></p></div>`
    ),
  "Outlook on the web in HTML": (words, foreign) =>
    html(
      `<div class="elementToProof">${words}</div><div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg" `
        + `dir="ltr"><font face="Calibri">${evesHead}</font><div>&nbsp;</div></div><div>${foreign}</div>`
    ),
  "Apple Mail in HTML": (words, foreign) =>
    html(
      `${words}<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>Begin forwarded message:</div><br>`
        + "<div style=\"margin:0\"><span><b>From: </b></span><span>Eve &lt;<a href=\"mailto:eve@example.net\">"
        + "eve@example.net</a>&gt;<br></span></div><div><span><b>Subject: </b></span><span><b>Offer</b><br></span></div><div>"
        + `<span><b>Date: </b></span><span>2 November 2026 at 09:31:00 CET<br></span></div><br><div>${foreign}</div>`
        + "</blockquote></div>"
    ),
  "Thunderbird in HTML": (words, foreign) =>
    html(
      `<p>${words}</p><div class="moz-forward-container"><br><br>-------- Forwarded Message --------<table class="`
        + "moz-email-headers-table\"><tbody><tr><th>Subject: </th><td>Offer</td></tr><tr><th>Date: </th><td>Mon, 2 Nov 2026 "
        + "09:31:00 +0100</td></tr><tr><th>From: </th><td>Eve &lt;eve@example.net&gt;</td></tr></tbody></table><br>"
        + `${foreign}</div>`
    ),
  "a table of headers in HTML": (words, foreign) =>
    html(
      `<p>${words}</p><table><tr><td>Von:</td><td>Eve Outsider</td></tr><tr><td>Betreff:</td><td>Angebot</td></tr></table>`
        + `<p>${foreign}</p>`
    ),
  "Yahoo in HTML": (words, foreign) =>
    html(
      `<div>${words}</div><div class="yahoo_quoted"><div>----- Forwarded Message -----</div><div><b>From:</b> "Eve" `
        + `&lt;eve@example.net&gt;</div><div><b>To:</b> Ada</div><div><b>Subject:</b> Offer</div><div>${foreign}</div></div>`
    ),
  "Proton in HTML": (words, foreign) =>
    html(
      `<div>${words}</div><div class="protonmail_quote">------- Forwarded Message -------<br>From: Eve &lt;eve@example.net&gt;`
        + `<br>Subject: Offer<br><br><blockquote class="protonmail_quote" type="cite">${foreign}</blockquote></div>`
    ),
  "a quote in HTML": (words, foreign) => html(`<p>${words}</p><blockquote><p>${foreign}</p></blockquote>`),
  "an enclosed mail": (words, foreign) =>
    mail(
      ["Content-Type: multipart/mixed; boundary=x"],
      `--x\r\nContent-Type: text/plain\r\n\r\n${words}\r\n--x\r\nContent-Type: message/rfc822\r\nContent-Disposition: `
        + `attachment; filename="Offer.eml"\r\n\r\nFrom: ${eve}\r\nSubject: Offer\r\n\r\n${foreign}\r\n--x--\r\n`
    ),
  "an enclosed mail that is shown inline": (words, foreign) =>
    mail(
      ["Content-Type: multipart/mixed; boundary=x"],
      `--x\r\nContent-Type: text/plain\r\n\r\n${words}\r\n--x\r\nContent-Type: message/rfc822\r\nContent-Disposition: `
        + `inline\r\n\r\nFrom: ${eve}\r\nSubject: Offer\r\n\r\n${foreign}\r\n--x--\r\n`
    ),
  "a text file that is shown inline": (words, foreign) =>
    mail(
      ["Content-Type: multipart/mixed; boundary=x"],
      `--x\r\nContent-Type: text/plain\r\n\r\n${words}\r\n--x\r\nContent-Type: text/plain; name="offer.txt"\r\n`
        + `Content-Disposition: inline; filename="offer.txt"\r\n\r\n${foreign}\r\n--x--\r\n`
    )
}
