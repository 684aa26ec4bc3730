" Made by `gpulab editor vim`. For one session:  vim -S gpulab.vim FILE.cu
" For all of them, in your vimrc, with the folder of this file:  autocmd FileType cuda source DIR/gpulab.vim
" Then :make checks the file, :copen lists what is wrong, and :cnext goes to the next line.
augroup gpulab
  autocmd!
  autocmd BufRead,BufNewFile *.cu setlocal filetype=cuda
  autocmd FileType cuda call s:use_gpulab()
augroup END

function! s:use_gpulab() abort
  " A whole program of no exercise, which check refuses with code 2, is run.
  let &l:makeprg = 'sh -c ''found=$(gpulab check --format gcc "$0" 2>/dev/null); [ $? = 2 ] && '
        \ . 'grep -Eq -e "^int +main *[(]" -e "^auto +main *[(]" "$0" && exec gpulab run --format gcc "$0"; echo "$found"'' %:S'
  setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,gpulab:\ %m,%-G%.%#
endfunction

if &filetype ==# 'cuda' || expand('%:e') ==# 'cu'
  call s:use_gpulab()
endif
