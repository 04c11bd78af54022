//! The container in which `ssh-keygen` leaves a private key.

use base64ct::{Base64, Encoding};

const BEGIN: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// Bytes of a secret on P-384.
const SECRET: usize = 48;

/// Whether a file is of this form.
pub(crate) fn is_ssh_key(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// The secret number of a key on P-384 that has no passphrase.
pub(crate) fn ssh_secret(text: &str) -> Result<[u8; SECRET], String> {
    let damaged = || "it is damaged".to_owned();
    let inside = text.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    let packed: String = inside.ok_or_else(damaged)?.split_whitespace().collect();
    let bytes = Base64::decode_vec(&packed).map_err(|_| damaged())?;
    let mut outer = Fields(bytes.strip_prefix(MAGIC).ok_or_else(damaged)?);
    let (cipher, _kdf, _options) = (outer.text()?, outer.bytes()?, outer.bytes()?);
    if cipher != "none" {
        return Err("it is locked by a passphrase".to_owned());
    }
    if outer.number()? != 1 {
        return Err("it holds several keys".to_owned());
    }
    let _public = outer.bytes()?;
    let mut inner = Fields(outer.bytes()?);
    if inner.number()? != inner.number()? {
        return Err(damaged());
    }
    let kind = inner.text()?;
    if kind != "ecdsa-sha2-nistp384" {
        return Err(format!("it is of type `{kind}`; expected ECDSA on the curve P-384"));
    }
    let (_curve, _point, number) = (inner.bytes()?, inner.bytes()?, inner.bytes()?);
    let leading = number.iter().take_while(|&&byte| byte == 0).count();
    let number = &number[leading..];
    let mut secret = [0; SECRET];
    let from = SECRET.checked_sub(number.len()).ok_or_else(damaged)?;
    secret[from..].copy_from_slice(number);
    Ok(secret)
}

/// Fields that begin with their length.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Result<u32, String> {
        let (head, rest) = self.0.split_first_chunk().ok_or("it is cut short")?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*head))
    }

    fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = usize::try_from(self.number()?).map_err(|error| error.to_string())?;
        let (field, rest) = self.0.split_at_checked(length).ok_or("it is cut short")?;
        self.0 = rest;
        Ok(field)
    }

    fn text(&mut self) -> Result<&'a str, String> {
        std::str::from_utf8(self.bytes()?).map_err(|_| "it is damaged".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn field(bytes: &[u8]) -> Vec<u8> {
        [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
    }

    fn file(cipher: &str, kind: &str, secret: &[u8]) -> String {
        let check = 77u32.to_be_bytes().to_vec();
        let parts = [field(kind.as_bytes()), field(b"nistp384"), field(&[4; 97]), field(secret)];
        let inner = [check.clone(), check, parts.concat(), field(b"me"), vec![1, 2, 3]].concat();
        let count = 1u32.to_be_bytes().to_vec();
        let head = [MAGIC.to_vec(), field(cipher.as_bytes()), field(b"none"), field(b"")];
        let whole = [head.concat(), count, field(b"public"), field(&inner)].concat();
        let lines = Base64::encode_string(&whole);
        let lines: Vec<&str> =
            lines.as_bytes().chunks(70).map(|l| std::str::from_utf8(l).unwrap()).collect();
        format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
    }

    #[test]
    fn the_secret_is_found_with_or_without_a_leading_zero() {
        let kind = "ecdsa-sha2-nistp384";
        assert_eq!(ssh_secret(&file("none", kind, &[9; 48])), Ok([9; 48]));
        let long = [&[0], [200; 48].as_slice()].concat();
        assert_eq!(ssh_secret(&file("none", kind, &long)), Ok([200; 48]));
        let short = ssh_secret(&file("none", kind, &[5; 46])).unwrap();
        assert_eq!((&short[..2], short[2]), (&[0, 0][..], 5));
    }

    #[test]
    fn other_keys_are_refused_by_name() {
        let refused = ssh_secret(&file("aes256-ctr", "ecdsa-sha2-nistp384", &[9; 48]));
        assert!(refused.unwrap_err().contains("passphrase"));
        let refused = ssh_secret(&file("none", "ssh-ed25519", &[9; 48])).unwrap_err();
        assert!(refused.contains("`ssh-ed25519`"), "{refused}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(cut in 0usize..400, at in 0usize..400, with: u8) {
            let mut bytes = file("none", "ecdsa-sha2-nistp384", &[9; 48]).into_bytes();
            let place = at % bytes.len();
            bytes[place] = with;
            let _ = ssh_secret(&String::from_utf8_lossy(&bytes[..cut.min(bytes.len())]));
        }
    }
}
