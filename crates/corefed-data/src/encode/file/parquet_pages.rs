//! The pages of a column, refused with a reason where the crate would panic ([`contained`](crate::contained)).

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Pages with what the crate takes for granted: a dictionary before the values that refer to it, whose entries have
/// bytes, levels that lie within their page, and together no more values than the column is said to have.
pub(super) struct CheckedPages {
    pages: Box<dyn PageReader>,
    /// Bits of a definition level.
    level_bits: usize,
    has_dictionary: bool,
    /// Values that are still to come.
    left: u64,
}

impl CheckedPages {
    /// The pages of a column that is not nested, which may have nulls; `values` counts them, too.
    pub(super) fn new(pages: Box<dyn PageReader>, optional: bool, values: u64) -> Self {
        Self { pages, level_bits: optional.into(), has_dictionary: false, left: values }
    }

    fn check(&mut self, page: &Page) -> Result<()> {
        if page.is_dictionary_page() {
            self.has_dictionary = true;
            // The crate makes room for all of them first, and every entry takes a byte at least.
            return match page.num_values() as usize {
                entries if entries <= page.buffer().len() => Ok(()),
                _ => refuse("its dictionary has more entries than bytes"),
            };
        }
        let refers =
            matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        if refers && !self.has_dictionary {
            return refuse("its values refer to a dictionary that is not there");
        }
        let Some(left) = self.left.checked_sub(page.num_values().into()) else {
            return refuse("its pages hold more values than it is said to have");
        };
        self.left = left;
        match self.levels(page) {
            Some(levels) if levels <= page.buffer().len() => Ok(()),
            _ => refuse("its levels lie outside of their page"),
        }
    }

    /// Bytes of levels whose number the page says or implies; none where they say so themselves, and are checked.
    fn levels(&self, page: &Page) -> Option<usize> {
        match page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                usize::try_from(def_levels_byte_len.checked_add(*rep_levels_byte_len)?).ok()
            }
            #[expect(deprecated, reason = "old files have it")]
            Page::DataPage { num_values, def_level_encoding: Encoding::BIT_PACKED, .. } => {
                let bits = usize::try_from(*num_values).ok()?.checked_mul(self.level_bits)?;
                Some(bits.div_ceil(8))
            }
            Page::DataPage { .. } | Page::DictionaryPage { .. } => Some(0),
        }
    }
}

fn refuse(why: &str) -> Result<()> {
    Err(ParquetError::General(why.to_owned()))
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages that somebody made up.
    struct Made(std::vec::IntoIter<Page>);

    impl Iterator for Made {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Self::Item> {
            self.0.next().map(Ok)
        }
    }

    impl PageReader for Made {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            self.next().transpose()
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn said(pages: Vec<Page>) -> Vec<Option<String>> {
        let made = CheckedPages::new(Box::new(Made(pages.into_iter())), true, 20);
        made.map(|page| page.err().map(|error| error.to_string())).collect()
    }

    fn values(encoding: Encoding, levels: Encoding, bytes: usize, num_values: u32) -> Page {
        Page::DataPage {
            buf: vec![0; bytes].into(),
            num_values,
            encoding,
            def_level_encoding: levels,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    #[test]
    fn values_without_their_dictionary_are_refused() {
        let dictionary = Page::DictionaryPage {
            buf: vec![0; 8].into(),
            num_values: 1,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        for encoding in [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY] {
            let page = values(encoding, Encoding::RLE, 9, 8);
            let told = said(vec![page.clone()]);
            assert!(told[0].as_ref().is_some_and(|why| why.contains("dictionary")), "{told:?}");
            assert_eq!(said(vec![dictionary.clone(), page]), [None, None]);
        }
        assert_eq!(said(vec![values(Encoding::PLAIN, Encoding::RLE, 9, 8)]), [None]);
    }

    #[test]
    fn a_dictionary_has_bytes_for_its_entries() {
        let dictionary = |num_values| Page::DictionaryPage {
            buf: vec![0; 8].into(),
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        assert_eq!(said(vec![dictionary(8)]), [None]);
        let told = said(vec![dictionary(2_000_000_000)]);
        assert!(told[0].as_ref().is_some_and(|why| why.contains("entries")), "{told:?}");
    }

    #[test]
    fn pages_have_no_more_values_than_their_column() {
        let page = |count| values(Encoding::PLAIN, Encoding::RLE, 9, count);
        assert_eq!(said(vec![page(12), page(8)]), [None, None]);
        let told = said(vec![page(12), page(9)]);
        assert!(told[1].as_ref().is_some_and(|why| why.contains("more values")), "{told:?}");
    }

    #[test]
    #[expect(deprecated, reason = "old files have it")]
    fn levels_beyond_their_page_are_refused() {
        let packed = |bytes, count| values(Encoding::PLAIN, Encoding::BIT_PACKED, bytes, count);
        assert_eq!(said(vec![packed(2, 16)]), [None]);
        let second = |levels: (u32, u32)| Page::DataPageV2 {
            buf: vec![0; 8].into(),
            num_values: 1,
            encoding: Encoding::PLAIN,
            num_nulls: 0,
            num_rows: 1,
            def_levels_byte_len: levels.0,
            rep_levels_byte_len: levels.1,
            is_compressed: false,
            statistics: None,
        };
        assert_eq!(said(vec![second((8, 0))]), [None]);
        for page in [packed(2, 17), second((8, 1)), second((9, 0)), second((u32::MAX, 1))] {
            let told = said(vec![page]);
            assert!(told[0].as_ref().is_some_and(|why| why.contains("levels")), "{told:?}");
        }
    }
}
